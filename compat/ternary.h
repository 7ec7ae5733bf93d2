/* SPDX-License-Identifier: LGPL-3.0-or-later
 * The intercepted functions w = f(u, v) on three mpz: what their large calls have
 * in common. */
#ifndef MPGPU_TERNARY_H
#define MPGPU_TERNARY_H

#include "call.h"

struct ternary {
    enum call_row row;
    void (**real)(mpz_ptr w, mpz_srcptr u, mpz_srcptr v);
    /* On the device; operands and w stay what they are where it is not done. */
    enum mpgpu_why (*work)(mpz_ptr w, mpz_srcptr u, mpz_srcptr v);
};

/* Small if either operand is: most calls are decided by the first. */
static inline int ternary_is_small(mpz_srcptr u, mpz_srcptr v, const _Atomic size_t *threshold) {
    return call_is_small(mpz_size(u), threshold) || call_is_small(mpz_size(v), threshold);
}

/* The large part of a call. */
void ternary_large(const struct ternary *f, mpz_ptr w, mpz_srcptr u, mpz_srcptr v,
                   const _Atomic size_t *threshold) __attribute__((cold));

#endif
