/* SPDX-License-Identifier: LGPL-3.0-or-later
 * The operations of mpgpu-bench arrays, and their operands. */
#include "config.h"

#include "tools/bench/arrays/bench_arrays_call.h"

#include <stdlib.h>
#include <string.h>

#include "tools/timing.h"

/* ---- by the library, and one of them by GMP */

static int add(const struct bench_arrays *a) {
    return a->lib->batch_add(a->r.batch, NULL, a->u.batch, a->v.batch);
}

static void add_gmp(const struct bench_arrays *a, mpz_t r, size_t i) {
    mpz_add(r, a->u.number[i], a->v.number[i]);
    mpz_tdiv_r_2exp(r, r, GMP_NUMB_BITS * a->limbs);
}

static int mul(const struct bench_arrays *a) {
    return a->lib->batch_mul(a->r.batch, a->u.batch, a->v.batch);
}

static void mul_gmp(const struct bench_arrays *a, mpz_t r, size_t i) {
    mpz_mul(r, a->u.number[i], a->v.number[i]);
}

static int mullo(const struct bench_arrays *a) {
    return a->lib->batch_mullo(a->r.batch, a->u.batch, a->v.batch);
}

static void mullo_gmp(const struct bench_arrays *a, mpz_t r, size_t i) {
    mpz_mul(r, a->u.number[i], a->v.number[i]);
    mpz_tdiv_r_2exp(r, r, GMP_NUMB_BITS * a->limbs);
}

static int sqr(const struct bench_arrays *a) {
    return a->lib->batch_sqr(a->r.batch, a->u.batch);
}

static void sqr_gmp(const struct bench_arrays *a, mpz_t r, size_t i) {
    mpz_mul(r, a->u.number[i], a->u.number[i]);
}

static int mod_mul(const struct bench_arrays *a) {
    return a->lib->batch_mod_mul(a->r.batch, a->u.batch, a->v.batch, a->modulus);
}

static void mod_mul_gmp(const struct bench_arrays *a, mpz_t r, size_t i) {
    mpz_mul(r, a->u.number[i], a->v.number[i]);
    mpz_mod(r, r, a->m.number[i]);
}

static int mod_sqr(const struct bench_arrays *a) {
    return a->lib->batch_mod_sqr(a->r.batch, a->u.batch, a->modulus);
}

static void mod_sqr_gmp(const struct bench_arrays *a, mpz_t r, size_t i) {
    mpz_mul(r, a->u.number[i], a->u.number[i]);
    mpz_mod(r, r, a->m.number[i]);
}

static int mod_pow(const struct bench_arrays *a) {
    return a->lib->batch_mod_pow(a->r.batch, a->u.batch, a->v.batch, a->modulus);
}

static int mod_pow_sec(const struct bench_arrays *a) {
    return a->lib->batch_mod_pow_sec(a->r.batch, a->u.batch, a->v.batch, a->modulus);
}

static void mod_pow_gmp(const struct bench_arrays *a, mpz_t r, size_t i) {
    mpz_powm(r, a->u.number[i], a->v.number[i], a->m.number[i]);
}

static void mod_pow_sec_gmp(const struct bench_arrays *a, mpz_t r, size_t i) {
    mpz_powm_sec(r, a->u.number[i], a->v.number[i], a->m.number[i]);
}

static int mod_inv(const struct bench_arrays *a) {
    return a->lib->batch_mod_invert(a->r.batch, a->extra.batch, a->u.batch, a->modulus);
}

static void mod_inv_gmp(const struct bench_arrays *a, mpz_t r, size_t i) {
    if (!mpz_invert(r, a->u.number[i], a->m.number[i]))
        mpz_set_ui(r, 0);
}

static int gcd(const struct bench_arrays *a) {
    return a->lib->batch_gcd(a->r.batch, a->u.batch, a->v.batch);
}

static void gcd_gmp(const struct bench_arrays *a, mpz_t r, size_t i) {
    mpz_gcd(r, a->u.number[i], a->v.number[i]);
}

static int tdiv_qr(const struct bench_arrays *a) {
    return a->lib->batch_tdiv_qr(a->extra.batch, a->r.batch, a->u.batch, a->v.batch);
}

static void tdiv_qr_gmp(const struct bench_arrays *a, mpz_t r, size_t i) {
    mpz_tdiv_qr(a->extra.number[i], r, a->u.number[i], a->v.number[i]);
}

const struct bench_arrays_call bench_arrays_calls[BENCH_ARRAYS_CALLS] = {
    {"add", "arrays: sums, without carries", 1, 1, 0, 1, 0, false, false, add, add_gmp},
    {"mul", "arrays: products", 1, 1, 0, 2, 0, false, false, mul, mul_gmp},
    {"mullo", "arrays: their low halves", 1, 1, 0, 1, 0, false, false, mullo, mullo_gmp},
    {"sqr", "arrays: squares", 1, 0, 0, 2, 0, false, false, sqr, sqr_gmp},
    {"mod_mul", "arrays: products modulo odd numbers", 1, 1, 1, 1, 0, false, false, mod_mul,
     mod_mul_gmp},
    {"mod_sqr", "arrays: squares modulo odd numbers", 1, 0, 1, 1, 0, false, false, mod_sqr,
     mod_sqr_gmp},
    {"mod_pow", "arrays: powers; mod_pow/4: exponents a quarter as long", 1, 1, 1, 1, 0, true,
     false, mod_pow, mod_pow_gmp},
    {"mod_pow_sec", "arrays: the same of secret exponents", 1, 1, 1, 1, 0, true, false, mod_pow_sec,
     mod_pow_sec_gmp},
    {"mod_inv", "arrays: inverses modulo odd numbers", 1, 0, 1, 1, 0, false, true, mod_inv,
     mod_inv_gmp},
    {"gcd", "arrays: greatest common divisors", 1, 1, 0, 1, 0, false, false, gcd, gcd_gmp},
    {"tdiv_qr", "arrays: quotients and remainders, 2n by n bits", 2, 1, 0, 1, 2, false, false,
     tdiv_qr, tdiv_qr_gmp}};

/* ---- operands */

/* Random and odd: moduli are, exponents of secret powers may not be 0. */
static void fill(const struct bench_arrays *a, struct bench_arrays_numbers *x, uint64_t *seed) {
    for (size_t i = 0; i < a->count; i++) {
        timing_operand(mpz_limbs_write(x->number[i], (mp_size_t)x->limbs), x->limbs, TIMING_RANDOM,
                       seed);
        mpz_limbs_finish(x->number[i], (mp_size_t)x->limbs);
        mpz_setbit(x->number[i], 0);
    }
}

static bool open_numbers(const struct bench_arrays *a, struct bench_arrays_numbers *x,
                         size_t limbs) {
    x->limbs = limbs;
    if (!limbs)
        return true;
    x->number = malloc(a->count * sizeof *x->number);
    for (size_t i = 0; x->number && i < a->count; i++)
        mpz_init2(x->number[i], GMP_NUMB_BITS * limbs);
    x->batch = a->lib->batch_create(a->count, limbs);
    return x->number && x->batch;
}

static bool open_operand(const struct bench_arrays *a, struct bench_arrays_numbers *x, size_t limbs,
                         uint64_t *seed) {
    if (!open_numbers(a, x, limbs))
        return false;
    if (limbs)
        fill(a, x, seed);
    return !limbs || a->lib->batch_set_mpz(x->batch, (const mpz_t *)x->number) == 0;
}

bool bench_arrays_open(struct bench_arrays *a, uint64_t bits, unsigned ratio) {
    const struct bench_arrays_call *c = a->call;
    const size_t n = (size_t)((bits + GMP_NUMB_BITS - 1) / GMP_NUMB_BITS);
    const size_t exponents = (n + ratio - 1) / ratio;
    uint64_t seed = 1;
    a->limbs = n;
    if (!open_operand(a, &a->u, c->u_times * n, &seed) ||
        !open_operand(a, &a->v, c->is_power ? exponents : c->v_times * n, &seed) ||
        !open_operand(a, &a->m, c->m_times * n, &seed) || !open_numbers(a, &a->r, c->r_times * n) ||
        !open_numbers(a, &a->extra, c->has_flags ? 1 : c->extra_times * n))
        return false;
    a->modulus = c->m_times ? a->lib->batch_modulus_create(a->m.batch) : NULL;
    return a->modulus || !c->m_times;
}

void bench_arrays_close(struct bench_arrays *a) {
    struct bench_arrays_numbers *const all[] = {&a->u, &a->v, &a->m, &a->r, &a->extra};
    a->lib->batch_modulus_destroy(a->modulus);
    for (size_t k = 0; k < sizeof all / sizeof *all; k++) {
        a->lib->batch_destroy(all[k]->batch);
        for (size_t i = 0; all[k]->number && i < a->count; i++)
            mpz_clear(all[k]->number[i]);
        free(all[k]->number);
    }
}
