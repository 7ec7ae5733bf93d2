/* SPDX-License-Identifier: LGPL-3.0-or-later
 * How large a multiple of B^n -+ 1 a product u v loses where it wraps round, modulo the session's
 * random modulus: H of kernels/check/wrapped.h, from u and v alone. */
#ifndef MPGPU_WRAPPED_H
#define MPGPU_WRAPPED_H

#include "lib/device/number.h"

#define WRAPPED_MOST 512 /* parts that the host sums up */

/* A computation under way: so many parts, each of so many limbs, and so many more than n in all. */
struct wrapped {
    uint64_t parts, limbs, more;
};

/* The residues of u and v, and of what wraps round. */
struct wrapped_residues {
    uint64_t u, v, wrapped;
};

/* Put it into the queue, for u and v of whole limbs at even words, n limbs cut into digits of
 * `digit`: w->parts times WRAPPED_ENTRIES entries of 64 bits into `out` from entry `at` on. */
int wrapped_launch(struct wrapped *w, struct session *s, struct number u, struct number v,
                   uint64_t n, unsigned digit, gpu_mem out, uint64_t at);

/* From these entries. */
struct wrapped_residues wrapped_residues(const struct wrapped *w, const uint64_t *entries,
                                         struct session_modulus q);

#endif
