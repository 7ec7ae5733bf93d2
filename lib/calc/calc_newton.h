/* SPDX-License-Identifier: LGPL-3.0-or-later
 * Newton's iteration for a root and the reciprocal of its power's derivative, side by side: what
 * square roots (lib/calc/calc_sqrt.h) and higher ones (lib/calc/calc_root.h) have in common.
 * B = 2^128 is a quad.
 *
 * N has the k-th root rho B^m / 2^shift with 1/2 <= rho < 1: m quads hold the root and `shift`
 * bits of its fraction.  With n quads s stands for rho B^n, and z for Z B^n,
 * Z = 1 / (k rho^(k-1)), n + 1 quads:
 *
 *     0 <= rho B^n - s < 3    and    2^(k+2) < Z B^n - z < 2^(k+4). */
#ifndef MPGPU_CALC_NEWTON_H
#define MPGPU_CALC_NEWTON_H

#include "lib/calc/calc.h"

enum { CALC_ROOT_MOST = 64 }; /* the largest k */

/* What follows from k and from N's bits.  The root has `bits` bits, and at least `guard` bits of
 * its fraction are wanted.  The host brings s and z of `first` quads, at most `most` >= 3. */
struct calc_root_plan {
    unsigned long k;
    uint64_t bits, m, first;
    int64_t shift;
};

struct calc_root_plan calc_root_plan(uint64_t bits, unsigned long k, uint64_t guard, uint64_t most);

/* The approximations, side by side in the highest quads of their numbers, of which the lower quads
 * are zeros: s has m quads, z one more than the last step but one needs.  C = 2^(k+3). */
struct calc_newton {
    struct number s, z, c;
};

/* `first` has s in its lowest quads and z in those above. */
void calc_newton_begin(struct calc *c, struct calc_newton *x, const struct calc_root_plan *plan,
                       struct number first);

/* Before the step to n quads there were so many. */
static inline uint64_t calc_newton_half(uint64_t n) {
    return n / 2 + 1;
}

/* The quads of the differences below. */
static inline uint64_t calc_newton_quads(uint64_t n) {
    return n + 2 - calc_newton_half(n);
}

/* s to n quads; `rest` is (rho^k - (s/B^h)^k) B^(n+1) of calc_newton_quads(n) quads.  With `less`
 * s lacks more than 1/2, and rest may be a little too large; the first s lacks as much. */
void calc_newton_root(struct calc *c, const struct calc_newton *x, struct number rest, uint64_t n,
                      bool less);

/* z to n quads; p stands for k s^(k-1), p z / 2^from for B^(n+1) = 1. */
void calc_newton_inverse(struct calc *c, const struct calc_newton *x, struct number p,
                         uint64_t from, uint64_t n);

/* The `quads` highest quads of x, and as many of x from quad `from` on. */
static inline struct number calc_top(struct number x, uint64_t quads) {
    return number_part(x, x.words - CALC_QUAD * quads, CALC_QUAD * quads);
}
static inline struct number calc_middle(struct number x, uint64_t from, uint64_t quads) {
    return number_part(x, CALC_QUAD * from, CALC_QUAD * quads);
}

#endif
