/* SPDX-License-Identifier: LGPL-3.0-or-later
 * Calls of mpz functions, and whether their results are right: modulo a random number of 61 bits,
 * with arithmetic that no threshold sends to a device. */
#include "tools/bench/threads/bench_call.h"

#include <string.h>

#include "lib/base/random.h"
#include "tools/timing.h"

static void mul(struct bench_numbers *w) {
    mpz_mul(w->r, w->u, w->v);
}

static void sqr(struct bench_numbers *w) {
    mpz_mul(w->r, w->u, w->u);
}

static void div(struct bench_numbers *w) {
    mpz_tdiv_q(w->r, w->u, w->v);
}

static mp_limb_t modulo(const mpz_t x, mp_limb_t m) {
    return mpn_mod_1(mpz_limbs_read(x), (mp_size_t)mpz_size(x), m);
}

static mp_limb_t product(mp_limb_t a, mp_limb_t b, mp_limb_t m) {
    return (mp_limb_t)((unsigned __int128)a * b % m);
}

static bool is_product(const mpz_t r, const mpz_t u, const mpz_t v) {
    mp_limb_t m = random_modulus();
    return modulo(r, m) == product(modulo(u, m), modulo(v, m), m);
}

static bool mul_is_right(const struct bench_numbers *w) {
    return is_product(w->r, w->u, w->v);
}

static bool sqr_is_right(const struct bench_numbers *w) {
    return is_product(w->r, w->u, w->u);
}

/* With a remainder that is below v, and u = q v + remainder, the quotient is right, whoever found
 * the remainder. */
static bool div_is_right(const struct bench_numbers *w) {
    mp_limb_t m = random_modulus();
    mpz_t rest;
    mpz_init(rest);
    mpz_tdiv_r(rest, w->u, w->v);
    bool is_below = mpz_sgn(rest) >= 0 && mpz_cmp(rest, w->v) < 0;
    mp_limb_t sum = (product(modulo(w->r, m), modulo(w->v, m), m) + modulo(rest, m)) % m;
    mpz_clear(rest);
    return is_below && sum == modulo(w->u, m);
}

const struct bench_call bench_calls[] = {
    {"mul", "threads: mpz_mul", true, 1, 1, mul, mul_is_right},
    {"sqr", "threads: mpz_mul of a number by itself", false, 1, 0, sqr, sqr_is_right},
    {"div", "threads: mpz_tdiv_q, twice as long by as long", false, 2, 1, div, div_is_right},
};

_Static_assert(sizeof bench_calls / sizeof *bench_calls == BENCH_CALLS, "counted");

static void fill(mpz_t x, uint64_t limbs, uint64_t *seed) {
    mp_size_t n = (mp_size_t)limbs;
    if (n > 0) {
        timing_operand(mpz_limbs_write(x, n), limbs, TIMING_RANDOM, seed);
        mpz_limbs_finish(x, n);
    }
}

void bench_call_open(struct bench_numbers *w, const struct bench_call *call, uint64_t bits,
                     unsigned ratio, uint64_t *seed) {
    uint64_t limbs = (bits + GMP_NUMB_BITS - 1) / GMP_NUMB_BITS, shorter = limbs / ratio;
    mpz_inits(w->u, w->v, w->r, NULL);
    fill(w->u, limbs * call->u_times, seed);
    fill(w->v, (shorter ? shorter : 1) * call->v_times, seed);
}

void bench_call_close(struct bench_numbers *w) {
    mpz_clears(w->u, w->v, w->r, NULL);
}
