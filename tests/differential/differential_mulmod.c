/* SPDX-License-Identifier: LGPL-3.0-or-later
 * Tests products modulo B^n - 1 and B^n + 1 (B = 2^64), by functions that libgmp exports but gmp.h
 * does not declare. */
#include <stdio.h>

#include "tests/differential/differential_limbs.h"

/* GMP's functions that choose transform lengths; the library does not intercept them. */
#define mpn_fft_best_k __MPN(fft_best_k)
#define mpn_fft_next_size __MPN(fft_next_size)
int mpn_fft_best_k(mp_size_t n, int square);
mp_size_t mpn_fft_next_size(mp_size_t n, int k);

static size_t min_u64(size_t a, size_t b) {
    return a < b ? a : b;
}

static size_t power_of_two(size_t n) {
    size_t power = 1;
    while (power < n)
        power *= 2;
    return power;
}

static void low(struct run *run, struct limbs *l) {
    run_sizes(run, &l->un, &l->vn);
    l->vn = l->rn = l->modulus = l->un;
}

static mp_limb_t apply_mullo_n(const struct reference *f, mp_ptr rp, const struct limbs *l) {
    f->mpn_mullo_n(rp, l->up, l->vp, (mp_size_t)l->rn);
    return 0;
}

static mp_limb_t apply_sqrlo(const struct reference *f, mp_ptr rp, const struct limbs *l) {
    f->mpn_sqrlo(rp, l->up, (mp_size_t)l->rn);
    return 0;
}

/* Chooses sizes for a product modulo B^n - 1: n is any size, one of GMP's sizes or a power of
 * two.  The product is longer than n / 2.  GMP needs n + 4 limbs of scratch, plus n / 2 for each
 * operand longer than n / 2. */
static void minus(struct run *run, struct limbs *l) {
    run_sizes(run, &l->un, &l->vn);
    size_t n = l->un;
    switch (run_below(run, 3)) {
    case 0:
        n = (size_t)run->reference->mpn_mulmod_bnm1_next_size((mp_size_t)n);
        break;
    case 1:
        n = power_of_two(n);
    }
    if (run_below(run, 2))
        l->un = n - run_below(run, n / 2 + 1);
    l->vn = min_u64(l->vn, l->un);
    if (l->un + l->vn <= n / 2)
        l->un = l->vn = n;
    l->modulus = n;
    l->rn = min_u64(n, l->un + l->vn);
    l->scratch_limbs = 2 * n + 4;
}

static void minus_square(struct run *run, struct limbs *l) {
    minus(run, l);
    l->un = l->vn = l->un > l->modulus / 4 ? l->un : l->modulus;
    l->rn = min_u64(l->modulus, 2 * l->un);
}

static mp_limb_t apply_mulmod(const struct reference *f, mp_ptr rp, const struct limbs *l) {
    f->mpn_mulmod_bnm1(rp, (mp_size_t)l->modulus, l->up, (mp_size_t)l->un, l->vp, (mp_size_t)l->vn,
                       l->scratch);
    return 0;
}

static mp_limb_t apply_sqrmod(const struct reference *f, mp_ptr rp, const struct limbs *l) {
    f->mpn_sqrmod_bnm1(rp, (mp_size_t)l->modulus, l->up, (mp_size_t)l->un, l->scratch);
    return 0;
}

/* Chooses sizes for a product modulo B^n + 1.  n is above a hundred, because GMP's transforms need
 * that. */
static void plus(struct run *run, struct limbs *l) {
    run_sizes(run, &l->un, &l->vn);
    mp_size_t n = (mp_size_t)(l->un + 100);
    l->modulus = l->rn = (size_t)mpn_fft_next_size(n, mpn_fft_best_k(n, 0));
    if (run_below(run, 3) == 0)
        l->un = l->modulus;
    if (run_below(run, 3) == 0)
        l->vn = l->modulus;
}

static void plus_square(struct run *run, struct limbs *l) {
    plus(run, l);
    l->vn = l->un;
}

/* Calls mpn_mul_fft with a k that n permits: n suits the best k of a product, but not always the
 * best k of a square. */
static mp_limb_t apply_fft(const struct reference *f, mp_ptr rp, const struct limbs *l) {
    mp_size_t n = (mp_size_t)l->modulus;
    int k = mpn_fft_best_k(n, l->up == l->vp && l->un == l->vn);
    while (mpn_fft_next_size(n, k) != n)
        k--;
    return f->mpn_mul_fft(rp, n, l->up, (mp_size_t)l->un, l->vp, (mp_size_t)l->vn, k);
}

/* Calls mpn_mul_fft with the result written over an operand. */
static mp_limb_t apply_fft_over(const struct reference *f, mp_ptr rp, const struct limbs *l) {
    struct limbs over = *l;
    mpn_copyi(rp, l->up, (mp_size_t)l->un);
    over.up = rp;
    if (l->vp == l->up)
        over.vp = rp;
    return apply_fft(f, rp, &over);
}

static const struct limbs_function
    mullo_n = {"mpn_mullo_n", "", low, OTHER, apply_mullo_n},
    mullo_square = {"mpn_mullo_n", " by itself", low, ITSELF, apply_mullo_n},
    sqrlo = {"mpn_sqrlo", "", low, ITSELF, apply_sqrlo},
    mulmod = {"mpn_mulmod_bnm1", "", minus, OTHER, apply_mulmod},
    mulmod_square = {"mpn_mulmod_bnm1", " by itself", minus_square, ITSELF, apply_mulmod},
    sqrmod = {"mpn_sqrmod_bnm1", "", minus_square, ITSELF, apply_sqrmod},
    fft = {"mpn_mul_fft", "", plus, OTHER, apply_fft},
    fft_square = {"mpn_mul_fft", " by itself", plus_square, ITSELF, apply_fft},
    fft_over = {"mpn_mul_fft", " into an operand", plus, OTHER, apply_fft_over},
    fft_square_over = {"mpn_mul_fft", " by itself into it", plus_square, ITSELF, apply_fft_over};

typedef mp_size_t next_size(mp_size_t n);

/* Checks a function that returns a supported size.  The size must be at least n and the same in a
 * second call, and it must be GMP's size or a power of two close to n. */
static int check_size(const char *function, next_size *ours, next_size *gmp, mp_size_t n) {
    mp_size_t size = ours(n), own = gmp(n);
    int good = size >= n && size == ours(n) &&
               (size == own || ((size_t)size == power_of_two((size_t)n) && size <= own + own / 16));
    if (!good)
        fprintf(stderr, "differential: %s(%ld) is %ld; GMP's own is %ld\n", function, n, size, own);
    return good;
}

/* Returns a size near a power of two; at such sizes the device may compute a product modulo B^n - 1
 * from two products modulo B^(n/2) - 1 and B^(n/2) + 1. */
static mp_size_t random_size(struct run *run) {
    mp_size_t power = (mp_size_t)1 << run_below(run, 24);
    return power - (mp_size_t)run_below(run, (size_t)power / 8 + 1);
}

static int run_next_size(struct run *run, const void *how) {
    mp_size_t n = random_size(run);
    (void)how;
    return check_size("mpn_mulmod_bnm1_next_size", mpn_mulmod_bnm1_next_size,
                      run->reference->mpn_mulmod_bnm1_next_size, n) &&
           check_size("mpn_sqrmod_bnm1_next_size", mpn_sqrmod_bnm1_next_size,
                      run->reference->mpn_sqrmod_bnm1_next_size, n);
}

const struct differential_case differential_ring[] = {
    {"mpn_mullo_n", limbs_run, &mullo_n},
    {"mpn_mullo_n", limbs_run, &mullo_square},
    {"mpn_sqrlo", limbs_run, &sqrlo},
    {"mpn_mulmod_bnm1", limbs_run, &mulmod},
    {"mpn_mulmod_bnm1", limbs_run, &mulmod_square},
    {"mpn_sqrmod_bnm1", limbs_run, &sqrmod},
    {"mpn_mul_fft", limbs_run, &fft},
    {"mpn_mul_fft", limbs_run, &fft_square},
    {"mpn_mul_fft", limbs_run, &fft_over},
    {"mpn_mul_fft", limbs_run, &fft_square_over},
    {"mpn_mulmod_bnm1_next_size", run_next_size, NULL},
    {"mpn_sqrmod_bnm1_next_size", run_next_size, NULL},
    {NULL, NULL, NULL},
};
