/* SPDX-License-Identifier: LGPL-3.0-or-later
 * Newton's iteration for a k-th root, together with the reciprocal of its power's derivative. It
 * serves square roots (lib/calc/calc_sqrt.h) and higher roots (lib/calc/calc_root.h).
 *
 * Let B = 2^128; a digit to the base B is called a quad. The k-th root of N is written as rho B^m
 * / 2^shift with a fraction rho, 1/2 <= rho < 1. So m quads hold the root and `shift` bits of its
 * fraction. The reciprocal is Z = 1 / (k rho^(k-1)).
 *
 * At a precision of n quads, the number s of n quads approximates rho B^n. The number z of n + 1
 * quads approximates Z B^n. Their errors are:
 *
 *     0 <= rho B^n - s < 3    and    2^(k+2) < Z B^n - z < 2^(k+4). */
#ifndef MPGPU_CALC_NEWTON_H
#define MPGPU_CALC_NEWTON_H

#include "lib/calc/calc.h"

enum { CALC_ROOT_MOST = 64 }; /* the largest k */

/* Values that follow from the degree k and the bits of N, the number whose root is computed. The
 * root has `bits` bits, and at least `guard` bits of its fraction are computed. The host supplies
 * first approximations s and z of `first` quads (128 bits each). `first` is at most `most`, which
 * is 3 or more. */
struct calc_root_plan {
    unsigned long k;
    uint64_t bits, m, first;
    int64_t shift;
};

struct calc_root_plan calc_root_plan(uint64_t bits, unsigned long k, uint64_t guard, uint64_t most);

/* The approximations s of the root, and z of the reciprocal of its power's derivative. They are in
 * the highest quads (128 bits each) of their numbers; lower quads are zero. s has m quads. z has
 * calc_newton_half(m) + 1 quads, since the last step does not improve z. c is 2^(k+3) for a k-th
 * root. */
struct calc_newton {
    struct number s, z, c;
};

/* Starts Newton's iteration from the host's first approximations in `first`: s in its lowest quads
 * (128 bits each), and z above them. */
void calc_newton_begin(struct calc *c, struct calc_newton *x, const struct calc_root_plan *plan,
                       struct number first);

/* Returns the number of quads (128 bits each) of the approximations from which a step of Newton's
 * iteration to n quads starts. */
static inline uint64_t calc_newton_half(uint64_t n) {
    return n / 2 + 1;
}

/* Returns the number of quads (128 bits each) of the error (`rest` of calc_newton_root) that a step
 * to n quads needs. */
static inline uint64_t calc_newton_quads(uint64_t n) {
    return n + 2 - calc_newton_half(n);
}

/* Improves s from h to n quads (128 bits each), where h = calc_newton_half(n). Before the call, s /
 * B^h approximates the root rho (B = 2^128). `rest`, of calc_newton_quads(n) quads, is the error of
 * its k-th power: (rho^k - (s/B^h)^k) B^(n+1).
 *
 * If `less` is set, the new s is lowered by 1, so that `rest` may be a little too large. The old s
 * must then be too small by more than 1/2. The new s is also too small by more than 1/2. */
void calc_newton_root(struct calc *c, const struct calc_newton *x, struct number rest, uint64_t n,
                      bool less);

/* Improves z to n quads (128 bits each). z approximates the reciprocal of the derivative k s^(k-1).
 * p is this derivative times a power of 2, such that p z / 2^from is near B^(n+1), where B = 2^128.
 * The difference B^(n+1) - p z / 2^from is the error of z. */
void calc_newton_inverse(struct calc *c, const struct calc_newton *x, struct number p,
                         uint64_t from, uint64_t n);

/* calc_top returns the `quads` highest quads (128 bits each) of x; calc_middle returns `quads`
 * quads of x from quad `from`. */
static inline struct number calc_top(struct number x, uint64_t quads) {
    return number_part(x, x.words - CALC_QUAD * quads, CALC_QUAD * quads);
}
static inline struct number calc_middle(struct number x, uint64_t from, uint64_t quads) {
    return number_part(x, CALC_QUAD * from, CALC_QUAD * quads);
}

#endif
