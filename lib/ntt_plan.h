/* SPDX-License-Identifier: LGPL-3.0-or-later
 * How a product is cut into transforms.  Plain arithmetic: no device needed. */
#ifndef MPGPU_NTT_PLAN_H
#define MPGPU_NTT_PLAN_H

#include <stddef.h>
#include <stdint.h>

#define NTT_MAX_PASSES 3
#define NTT_DIGIT_WORDS 2  /* a digit is 64 bits */
#define NTT_ALIGN_DIGITS 8 /* pieces begin at multiples of this */
#define NTT_MIN_LOG 13     /* lengths of one branch: 2^13 to 2^25 digits */
#define NTT_MAX_LOG 25

/* A transform length: `branches` rings of 2^log_m coefficients each.  One branch may have
 * the tree's node 1 for its root instead of node 0: x^n + 1 instead of x^n - 1. */
struct ntt_length {
    unsigned log_m, branches;
    unsigned passes;                /* of each branch, */
    unsigned log_r[NTT_MAX_PASSES]; /* and their levels; the last is contiguous */
    unsigned root;
};

/* {u, un digits} * {v, vn digits}, un >= vn: v is cut into parts of part_v digits
 * (the last may be shorter), and for each of them u into pieces of piece_u. */
struct ntt_plan {
    struct ntt_length length;
    uint64_t part_v, piece_u;
    uint64_t parts, pieces;
};

static inline uint64_t ntt_length_digits(const struct ntt_length *l) {
    return (uint64_t)l->branches << l->log_m;
}

/* The passes of a length; 0 if there is no such length. */
int ntt_length_init(struct ntt_length *l, unsigned log_m, unsigned branches);

/* Plan for un >= vn >= 1 digits with transforms of at most max_digits; 0 if even
 * the shortest length is longer than that. */
int ntt_plan_init(struct ntt_plan *plan, uint64_t un, uint64_t vn, uint64_t max_digits);

/* The time that a plan takes, in some unit. */
double ntt_plan_cost(const struct ntt_plan *plan);

#endif
