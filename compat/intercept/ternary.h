/* SPDX-License-Identifier: LGPL-3.0-or-later
 * The intercepted functions w = f(u, v) on three mpz, or on two and a word in the
 * place of u or v: what their large calls have in common. */
#ifndef MPGPU_TERNARY_H
#define MPGPU_TERNARY_H

#include "compat/intercept/call.h"

struct ternary {
    enum call_row row;
    /* GMP's function: one of these. */
    void (**real)(mpz_ptr w, mpz_srcptr u, mpz_srcptr v);
    void (**real_ui)(mpz_ptr w, mpz_srcptr u, unsigned long v);
    void (**real_si)(mpz_ptr w, mpz_srcptr u, long v);
    void (**real_ui_first)(mpz_ptr w, unsigned long u, mpz_srcptr v);
    bool by_limb; /* what counts is the size of u, not of the smaller operand */
    /* On the device; operands and w stay what they are where it is not done. */
    enum outcome (*work)(mpz_ptr w, mpz_srcptr u, mpz_srcptr v);
};

/* Small if either operand is: most calls are decided by the first. */
static inline bool ternary_is_small(mpz_srcptr u, mpz_srcptr v, const _Atomic size_t *threshold) {
    return thresholds_one_is_small(&u->_mp_size, &v->_mp_size, threshold);
}

/* A word is a number of one limb. */
static inline bool ternary_word_is_small(const _Atomic size_t *threshold) {
    return thresholds_is_small(1, threshold);
}

/* The large part of a call. */
void ternary_large(const struct ternary *f, mpz_ptr w, mpz_srcptr u, mpz_srcptr v,
                   const _Atomic size_t *threshold) __attribute__((cold));

/* The same with a word for v, or for u. */
void ternary_large_ui(const struct ternary *f, mpz_ptr w, mpz_srcptr u, unsigned long v,
                      const _Atomic size_t *threshold) __attribute__((cold));
void ternary_large_si(const struct ternary *f, mpz_ptr w, mpz_srcptr u, long v,
                      const _Atomic size_t *threshold) __attribute__((cold));
void ternary_large_ui_first(const struct ternary *f, mpz_ptr w, unsigned long u, mpz_srcptr v,
                            const _Atomic size_t *threshold) __attribute__((cold));

#endif
