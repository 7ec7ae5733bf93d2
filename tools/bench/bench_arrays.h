/* SPDX-License-Identifier: LGPL-3.0-or-later
 * Operations on many numbers of the same length: a call of include/mpgpu.h, and what GMP computes
 * for one of them. */
#ifndef MPGPU_BENCH_ARRAYS_H
#define MPGPU_BENCH_ARRAYS_H

#include <gmp.h>
#include <stdbool.h>
#include <stddef.h>

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

enum { BENCH_ARRAYS_CALLS = 12 };
extern const struct bench_arrays_call bench_arrays_calls[BENCH_ARRAYS_CALLS];

#endif
