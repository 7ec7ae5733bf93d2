/* SPDX-License-Identifier: LGPL-3.0-or-later
 * Moduli M = k 2^e - 1 and M = k 2^e + 1 with an odd k of one word, such as Mersenne and Proth
 * numbers. Their multiples are subtracted without a product and without a reciprocal. */
#ifndef MPGPU_CALC_FORM_H
#define MPGPU_CALC_FORM_H

#include "lib/calc/calc.h"

/* A modulus k 2^e - 1, or k 2^e + 1 if `plus`; k is odd and e is at least CALC_QUAD_BITS. k = 0: a
 * modulus of another form. */
struct calc_form {
    uint32_t k;
    bool plus;
    uint64_t e;
};

/* calc_form_find returns a code of the form of M = {m, n}, or 0 if M has no such form. The highest
 * limb of m is not 0. calc_form_of returns the form that has this code, for an M of `bits` bits.
 * calc_form_of treats an invalid code, or one that does not fit this length, like 0. */
uint64_t calc_form_find(const uint64_t *m, size_t n);
struct calc_form calc_form_of(uint64_t code, uint64_t bits);

/* Returns true for moduli 2^e - 1. */
static inline bool calc_form_is_mersenne(const struct calc_form *f) {
    return f->k == 1 && !f->plus;
}

/* What is known of the factors of a product modulo M: nothing; both have at most CALC_FORM_SPARE
 * bits more than M; both are below M (for M = k 2^e - 1, at most M). */
enum calc_form_factors { CALC_FORM_ANY, CALC_FORM_NEAR, CALC_FORM_RESIDUES };
#define CALC_FORM_SPARE 2

/* Computes r = x modulo M, and returns the quotient, taken by calc_take. M has `bits` bits and is
 * in m; m and r have calc_words(bits) words. x has x_bits bits, at least `bits` and at most 2 (bits
 * + CALC_FORM_SPARE). is_of_residues says that x is the product of two numbers below M (for M = k
 * 2^e - 1, at most M). This saves two comparisons. For the device's engine only. r overlaps neither
 * x nor m. */
struct number calc_form_reduce(struct calc *c, const struct calc_form *f, struct number r,
                               struct number x, uint64_t x_bits, struct number m, uint64_t bits,
                               bool is_of_residues);

/* Computes r = u v modulo M, and returns the quotient, taken by calc_take. The sizes must be as for
 * calc_form_reduce, which reduces the product; u v has x_bits bits. `x` is room for the product, of
 * u.words + v.words words. If M = 2^p - 1 and `factors` is not CALC_FORM_ANY, transforms may
 * compute the product modulo M directly. The returned number is then only congruent to the quotient
 * modulo the context's random modulus. */
struct number calc_form_mul(struct calc *c, const struct calc_form *f, struct number r,
                            struct number x, uint64_t x_bits, struct number u, struct number v,
                            struct number m, uint64_t bits, enum calc_form_factors factors);

#endif
