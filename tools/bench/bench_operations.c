/* SPDX-License-Identifier: LGPL-3.0-or-later
 * The operations that mpgpu-bench knows, by GMP and by the library. */
#include "lib/gmp/gmp_internal.h"
#include "lib/operate/operate.h"
#include "tools/bench/bench_work.h"

/* GMP's functions for lengths of transforms. */
#define mpn_fft_best_k __MPN(fft_best_k)
#define mpn_fft_next_size __MPN(fft_next_size)
int mpn_fft_best_k(mp_size_t n, int square);
mp_size_t mpn_fft_next_size(mp_size_t n, int k);

static int gmp_mul(struct bench_work *w) {
    mpn_mul(w->rp, w->up, (mp_size_t)w->un, w->vp, (mp_size_t)w->vn);
    return 0;
}

static int gmp_sqr(struct bench_work *w) {
    mpn_sqr(w->rp, w->up, (mp_size_t)w->un);
    return 0;
}

static int library_mul(struct bench_work *w) {
    return operate_mul(w->rp, w->up, w->un, w->vp, w->vn) != OUTCOME_DONE;
}

static size_t length_minus(size_t n) {
    return (size_t)mpn_mulmod_bnm1_next_size((mp_size_t)n);
}

static int gmp_minus(struct bench_work *w) {
    mpn_mulmod_bnm1(w->rp, (mp_size_t)w->rn, w->up, (mp_size_t)w->un, w->vp, (mp_size_t)w->vn,
                    w->scratch);
    return 0;
}

static int library_minus(struct bench_work *w) {
    return operate_mulmod_bnm1(w->rp, w->rn, w->up, w->un, w->vp, w->vn) != OUTCOME_DONE;
}

static size_t length_plus(size_t n) {
    return (size_t)mpn_fft_next_size((mp_size_t)n, mpn_fft_best_k((mp_size_t)n, 0));
}

static int gmp_plus(struct bench_work *w) {
    mp_size_t n = (mp_size_t)w->rn;
    w->top = mpn_mul_fft(w->rp, n, w->up, (mp_size_t)w->un, w->vp, (mp_size_t)w->vn,
                         mpn_fft_best_k(n, 0));
    return 0;
}

static int library_plus(struct bench_work *w) {
    return operate_mulmod_bnp1(w->rp, w->rn, w->up, w->un, w->vp, w->vn, &w->top) != OUTCOME_DONE;
}

static int gmp_add(struct bench_work *w) {
    w->top = mpn_add(w->rp, w->up, (mp_size_t)w->un, w->vp, (mp_size_t)w->vn);
    return 0;
}

static int library_add(struct bench_work *w) {
    return operate_add(w->rp, w->up, w->un, w->vp, w->vn, &w->top) != OUTCOME_DONE;
}

const struct bench_operation bench_operations[] = {
    {"mul", "product", BENCH_PRODUCT, 0, NULL, gmp_mul, library_mul},
    {"sqr", "square", BENCH_PRODUCT, 1, NULL, gmp_sqr, library_mul},
    {"bnm1", "product modulo B^n-1, B = 2^64", BENCH_MINUS, 0, length_minus, gmp_minus,
     library_minus},
    {"bnp1", "product modulo B^n+1", BENCH_PLUS, 0, length_plus, gmp_plus, library_plus},
    {"add", "sum", BENCH_SUM, 0, NULL, gmp_add, library_add},
};

_Static_assert(sizeof bench_operations / sizeof *bench_operations == BENCH_OPERATIONS, "counted");
