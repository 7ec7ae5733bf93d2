/* SPDX-License-Identifier: LGPL-3.0-or-later
 * Operations as a program writes them: calls of mpz functions, on numbers in GMP's memory.  Whether
 * the library takes them is up to the process: with it under preload, or without. */
#ifndef MPGPU_BENCH_CALL_H
#define MPGPU_BENCH_CALL_H

#include <gmp.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct bench_numbers {
    mpz_t u, v, r; /* r = u op v */
};

struct bench_call {
    const char *name, *help;
    bool has_ratio;            /* mul/4: v a quarter as long */
    unsigned u_times, v_times; /* lengths, times the size; 0: v is not used */
    void (*run)(struct bench_numbers *w);
    bool (*is_right)(const struct bench_numbers *w);
};

enum { BENCH_CALLS = 3 };
extern const struct bench_call bench_calls[];

/* Random operands of `bits` bits, rounded up to limbs, the second of 1/ratio of that.  *seed is
 * any number at first; each call advances it. */
void bench_call_open(struct bench_numbers *w, const struct bench_call *call, uint64_t bits,
                     unsigned ratio, uint64_t *seed);
void bench_call_close(struct bench_numbers *w);

#endif
