/* SPDX-License-Identifier: LGPL-3.0-or-later
 * The code for large operands that intercepted functions w = f(u, v) have in common. u, v and w are
 * mpz; or u or v is a word. */
#ifndef MPGPU_TERNARY_H
#define MPGPU_TERNARY_H

#include "compat/intercept/call.h"

struct ternary {
    enum call_row row;
    /* Pointer to GMP's function. One of these four pointers is set. */
    void (**real)(mpz_ptr w, mpz_srcptr u, mpz_srcptr v);
    void (**real_ui)(mpz_ptr w, mpz_srcptr u, unsigned long v);
    void (**real_si)(mpz_ptr w, mpz_srcptr u, long v);
    void (**real_ui_first)(mpz_ptr w, unsigned long u, mpz_srcptr v);
    /* Decides whether a call is large: if by_limb is true, by the size of u (0 if v is 0),
     * otherwise by the size of the shorter operand. */
    bool by_limb;
    /* Computes w on the device. If it fails, w and the operands keep their values. */
    enum outcome (*work)(mpz_ptr w, mpz_srcptr u, mpz_srcptr v);
};

/* Returns true if u or v is smaller than the threshold. It compares u first, which decides most
 * calls. */
static inline bool ternary_is_small(mpz_srcptr u, mpz_srcptr v, const _Atomic size_t *threshold) {
    return thresholds_one_is_small(&u->_mp_size, &v->_mp_size, threshold);
}

/* Returns true if a call with a word as an operand is small: a word has one limb. */
static inline bool ternary_word_is_small(const _Atomic size_t *threshold) {
    return thresholds_is_small(1, threshold);
}

/* Computes a call w = f(u, v) on the device or by GMP, and counts it. */
void ternary_large(const struct ternary *f, mpz_ptr w, mpz_srcptr u, mpz_srcptr v,
                   const _Atomic size_t *threshold) __attribute__((cold));

/* Do the work of ternary_large for a word v instead of an mpz. ternary_large_ui_first takes a word
 * u instead of v. */
void ternary_large_ui(const struct ternary *f, mpz_ptr w, mpz_srcptr u, unsigned long v,
                      const _Atomic size_t *threshold) __attribute__((cold));
void ternary_large_si(const struct ternary *f, mpz_ptr w, mpz_srcptr u, long v,
                      const _Atomic size_t *threshold) __attribute__((cold));
void ternary_large_ui_first(const struct ternary *f, mpz_ptr w, unsigned long u, mpz_srcptr v,
                            const _Atomic size_t *threshold) __attribute__((cold));

#endif
