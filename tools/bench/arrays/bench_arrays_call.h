/* SPDX-License-Identifier: LGPL-3.0-or-later
 * Operations on many numbers of the same length: a call of include/mpgpu.h, and what GMP does for
 * one of them. */
#ifndef MPGPU_BENCH_ARRAYS_CALL_H
#define MPGPU_BENCH_ARRAYS_CALL_H

#include <stddef.h>
#include <stdint.h>

#include "tools/bench/arrays/bench_arrays_library.h"

/* The same numbers on both sides, of so many limbs. */
struct bench_arrays_numbers {
    size_t limbs; /* 0: there are none */
    mpz_t *number;
    mpgpu_batch *batch;
};

struct bench_arrays;

/* Lengths are in sizes; 0 is none. */
struct bench_arrays_call {
    const char *name, *help;
    unsigned u_times, v_times, m_times; /* v: divided by a ratio where it is an exponent */
    unsigned r_times, extra_times;      /* another result: a quotient */
    bool is_power, has_flags;           /* another result of a limb each */
    int (*run)(const struct bench_arrays *a);
    void (*gmp)(const struct bench_arrays *a, mpz_t r, size_t i);
};

extern const struct bench_arrays_call bench_arrays_calls[];
enum { BENCH_ARRAYS_CALLS = 11 };

struct bench_arrays {
    const struct bench_arrays_library *lib;
    const struct bench_arrays_call *call;
    size_t count, limbs;
    struct bench_arrays_numbers u, v, m, r, extra;
    mpgpu_batch_modulus *modulus; /* of m; or NULL */
};

/* Random operands of `bits` bits, rounded up to limbs, exponents of 1/ratio of that; false if there
 * is no memory.  bench_arrays_close follows in any case. */
bool bench_arrays_open(struct bench_arrays *a, uint64_t bits, unsigned ratio);
void bench_arrays_close(struct bench_arrays *a);

#endif
