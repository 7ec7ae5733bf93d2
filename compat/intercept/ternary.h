/* SPDX-License-Identifier: LGPL-3.0-or-later
 * The common large part of intercepted functions w = f(u, v) on three mpz, or on two mpz and a word
 * instead of u or v. */
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
    bool by_limb; /* the size of u decides, not of the smaller operand */
    /* Computes the result on the device.  Operands and w keep their values if it fails. */
    enum outcome (*work)(mpz_ptr w, mpz_srcptr u, mpz_srcptr v);
};

/* Returns true if either operand is small: the first comparison decides most calls. */
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

/* Do the work of ternary_large if v, or in ternary_large_ui_first u, is a word. */
void ternary_large_ui(const struct ternary *f, mpz_ptr w, mpz_srcptr u, unsigned long v,
                      const _Atomic size_t *threshold) __attribute__((cold));
void ternary_large_si(const struct ternary *f, mpz_ptr w, mpz_srcptr u, long v,
                      const _Atomic size_t *threshold) __attribute__((cold));
void ternary_large_ui_first(const struct ternary *f, mpz_ptr w, unsigned long u, mpz_srcptr v,
                            const _Atomic size_t *threshold) __attribute__((cold));

#endif
