/* SPDX-License-Identifier: LGPL-3.0-or-later
 * Plans products by number-theoretic transforms: how operands are cut. Does not access the
 * device. */
#ifndef MPGPU_NTT_PLAN_H
#define MPGPU_NTT_PLAN_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define NTT_MAX_PASSES 3
#define NTT_DIGIT_WORDS 2     /* words of a digit, which has 64 bits */
#define NTT_DIGIT_RESIDUES 20 /* bytes of a transform for each digit: five residues */
#define NTT_ALIGN_DIGITS 8    /* pieces of an operand begin at multiples of this many digits */
/* binary logarithm of the smallest number of coefficients of a transform; the largest number is
 * 2^NTT_MAX_LOG */
#define NTT_MIN_LOG 13
#define NTT_MAX_LOG 25
/* If a length has two rings, x^n + 1 and x^m - 1, then n / m is at most 2^NTT_MAX_BELOW. */
#define NTT_MAX_BELOW 3

/* A ring: the polynomials modulo x^m - 1 or x^m + 1, where m = 2^log_m. A transform splits the
 * modulus into two factors, each of these into two, and so on. In the tree of these factors,
 * `root` is the number of the ring's modulus: 0 for x^m - 1, 1 for x^m + 1. */
struct ntt_ring {
    unsigned log_m, root;
    unsigned passes; /* of a transform */
    /* levels of each pass; only the last pass reads contiguous memory */
    unsigned log_r[NTT_MAX_PASSES];
};

/* The length of transforms: one ring of polynomials, or two rings, modulo x^n + 1 and modulo x^m -
 * 1 with m < n. Both polynomials are coprime, so residues modulo both determine n + m
 * coefficients. */
struct ntt_length {
    unsigned rings;
    struct ntt_ring ring[2];
};

/* A plan for u v, where u has un digits and v has vn <= un digits. v is cut into `parts` parts of
 * part_v digits, u into `pieces` pieces of piece_u digits; the last ones may be shorter. If v has
 * several parts, parts and pieces have the same length. The transforms of `kept` parts are in
 * memory at the same time, while all pieces are multiplied by them. Up to `terms` point-wise
 * products are added before an inverse transform. */
struct ntt_plan {
    struct ntt_length length;
    uint64_t part_v, piece_u;
    uint64_t parts, pieces;
    uint64_t kept;
    unsigned terms;
};

/* The memory of a device, and the time of a launch. */
struct ntt_device {
    uint64_t bytes;   /* memory for transforms, and for products that are added to the result */
    uint64_t largest; /* in one buffer */
    uint64_t digits;  /* the longest transform */
    double launch;    /* time of a launch, in the microseconds of ntt_plan_cost */
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

/* Divides the levels of a ring's transforms into passes. Returns false if transforms of this length
 * are not possible. */
bool ntt_ring_init(struct ntt_ring *r, unsigned log_m, unsigned root);

/* Sets *l to a length with one ring modulo x^n - 1, n = 2^log_n, if `below` is 0. Otherwise sets it
 * to a length with two rings, modulo x^n + 1 and modulo x^(n / 2^below) - 1. Returns false if such
 * transforms are not possible. */
bool ntt_length_init(struct ntt_length *l, unsigned log_n, unsigned below);

/* Plans a product of un by vn digits, where un >= vn >= 1. Returns false if memory does not even
 * suffice for the shortest transforms. */
bool ntt_plan_init(struct ntt_plan *plan, uint64_t un, uint64_t vn,
                   const struct ntt_device *device);

/* Returns the bytes of device memory that a plan needs, not counting operands and result. */
uint64_t ntt_plan_bytes(const struct ntt_plan *plan);

/* Returns the expected time of a plan on an H200, in microseconds. */
double ntt_plan_cost(const struct ntt_plan *plan, const struct ntt_device *device);

#endif
