/* SPDX-License-Identifier: LGPL-3.0-or-later
 * How a product is cut into transforms. Plain arithmetic, without a device. */
#ifndef MPGPU_NTT_PLAN_H
#define MPGPU_NTT_PLAN_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define NTT_MAX_PASSES 3
#define NTT_DIGIT_WORDS 2     /* a digit is 64 bits */
#define NTT_DIGIT_RESIDUES 20 /* bytes of a transform for each of its digits */
#define NTT_ALIGN_DIGITS 8    /* pieces begin at multiples of this */
#define NTT_MIN_LOG 13        /* a ring has 2^13 to 2^25 coefficients */
#define NTT_MAX_LOG 25
#define NTT_MAX_BELOW 3 /* of two rings, the second is shorter by at most 2^3 */

/* The ring x^m - 1 (root 0) or x^m + 1 (root 1), m = 2^log_m: the tree's node with the number
 * `root`. */
struct ntt_ring {
    unsigned log_m, root;
    unsigned passes;                /* of a transform */
    unsigned log_r[NTT_MAX_PASSES]; /* levels of each pass; the last pass is contiguous */
};

/* A transform length: one ring, or the two rings x^n + 1 and x^m - 1, m < n. The two are coprime,
 * and so have n + m coefficients. */
struct ntt_length {
    unsigned rings;
    struct ntt_ring ring[2];
};

/* {u, un digits} * {v, vn digits}, un >= vn. v is cut into parts of part_v digits, u into pieces of
 * piece_u; the last ones may be shorter. With several parts, parts are as long as pieces. The
 * transforms of `kept` parts are kept at a time, for all pieces. Up to `terms` products of pieces
 * and parts are summed before the inverse transform. */
struct ntt_plan {
    struct ntt_length length;
    uint64_t part_v, piece_u;
    uint64_t parts, pieces;
    uint64_t kept;
    unsigned terms;
};

/* The room of a device, and its speed. */
struct ntt_device {
    uint64_t bytes;   /* for transforms, and products to be added to the result */
    uint64_t largest; /* in one buffer */
    uint64_t digits;  /* the longest transform */
    double launch;    /* cost of a launch, in the unit of ntt_plan_cost */
};
#define NTT_LAUNCH_GPU 5
#define NTT_LAUNCH_CPU 0.3

static inline uint64_t ntt_ring_digits(const struct ntt_ring *r) {
    return (uint64_t)1 << r->log_m;
}

static inline uint64_t ntt_length_digits(const struct ntt_length *l) {
    uint64_t digits = ntt_ring_digits(&l->ring[0]);
    return l->rings == 1 ? digits : digits + ntt_ring_digits(&l->ring[1]);
}

/* Sets the ring's passes; returns false if there is no such ring. */
bool ntt_ring_init(struct ntt_ring *r, unsigned log_m, unsigned root);

/* Sets one ring x^n - 1, n = 2^log_n (below = 0), or x^n + 1 and x^(n / 2^below) - 1. Returns false
 * if there is no such length. */
bool ntt_length_init(struct ntt_length *l, unsigned log_n, unsigned below);

/* Plans un >= vn >= 1 digits. Returns false if there is no room even for the shortest length. */
bool ntt_plan_init(struct ntt_plan *plan, uint64_t un, uint64_t vn,
                   const struct ntt_device *device);

/* Returns the bytes of device memory of a plan, apart from operands and result. */
uint64_t ntt_plan_bytes(const struct ntt_plan *plan);

/* Returns the estimated time of a plan, in microseconds of an H200. */
double ntt_plan_cost(const struct ntt_plan *plan, const struct ntt_device *device);

#endif
