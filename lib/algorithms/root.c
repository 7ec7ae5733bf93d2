/* SPDX-License-Identifier: LGPL-3.0-or-later
 * Roots: the first approximation, the recipe's work, and mpz. */
#include "lib/algorithms/root.h"

#include "lib/algorithms/recipe.h"
#include "lib/base/ceil_div.h"
#include "lib/calc/calc_root.h"
#include "lib/calc/calc_sqrt.h"
#include "lib/gmp/normalize.h"
#include "lib/gmp/real.h"

enum {
    QUAD_LIMBS = 2,
    QUAD_BITS = 128,
    SQUARE_FIRST = 256, /* quads of a first approximation, which takes about as long as a step */
    POWER_FIRST = 512,  /* and of its k-th power */
    FIRST_LIMBS = QUAD_LIMBS * (2 * SQUARE_FIRST + 1)
};

/* What the recipe is given; results go to s and r. */
struct work {
    struct root x;
    struct calc_root_plan plan;
    mp_ptr s, r;
    const mp_limb_t *first;
    size_t sn, rn;
    bool is_exact;
    bool is_above, is_second; /* higher roots: what was found is 1 more than the root: found now,
                                 and known from the first turn */
};

static uint64_t bits_of(const struct root *x) {
    return normalize_bits(x->np, x->nn);
}

static struct calc_root_plan plan_of(const struct root *x) {
    return x->k == 2 ? calc_root_plan(bits_of(x), 2, CALC_SQRT_GUARD, SQUARE_FIRST)
                     : calc_root_plan(bits_of(x), x->k, CALC_ROOT_GUARD, POWER_FIRST / x->k);
}

size_t root_limbs(const struct root *x) {
    return ceil_div(ceil_div(bits_of(x), x->k), 64);
}

/* It is less than (s+1)^k - s^k < 2^k s^(k-1), and no more than the number. */
size_t root_rest_limbs(const struct root *x) {
    uint64_t root_bits = ceil_div(bits_of(x), x->k);
    return min_u64(x->nn, ceil_div((x->k - 1) * root_bits + x->k, 64));
}

/* ---- the recipe */

static struct number upload_first(struct calc *c, const struct work *k) {
    uint64_t quads = 2 * k->plan.first + 1;
    return calc_upload(c, k->first, QUAD_LIMBS * quads, CALC_QUAD * quads);
}

/* One word of the device, which waits. */
static bool flag_of(struct calc *c, struct number flag) {
    uint64_t word = 0; /* and the one behind it */
    calc_download_to_each(c, &word, flag, 1);
    if ((uint32_t)word > 1 && c->status == GPU_OK)
        c->status = GPU_FAILED;
    return (uint32_t)word == 1;
}

static void give(struct calc *c, struct work *k, struct number s, struct number r) {
    if (k->x.is_exact)
        k->is_exact = calc_is_less(c, r, calc_one(c));
    calc_download(c, k->s, s, k->sn);
    if (k->r)
        calc_download(c, k->r, r, min_u64(k->rn, r.words / 2));
}

static void square_root(struct calc *c, void *argument) {
    struct work *k = argument;
    uint64_t m = k->plan.m;
    struct number first = upload_first(c, k);
    struct number n =
        calc_upload_halves(c, k->x.np, k->x.nn, 2 * CALC_QUAD * m, calc_sqrt_high(&k->plan));
    struct number s = calc_take(c, CALC_QUAD * m), r = calc_take(c, CALC_QUAD * m);
    calc_sqrtrem(c, &k->plan, s, r, n, first);
    give(c, k, s, r);
}

static void higher_root(struct calc *c, void *argument) {
    struct work *k = argument;
    const struct calc_root_plan *plan = &k->plan;
    uint64_t words = calc_root_words(plan), power_words = calc_root_power_words(plan);
    struct number first = upload_first(c, k), u;
    struct number n = calc_upload_halves(c, k->x.np, k->x.nn, power_words, calc_root_high(plan));
    struct number t = calc_take(c, words), s = calc_take(c, words), r = calc_take(c, power_words);
    calc_root(c, plan, t, n, first);
    bool is_above = k->is_second && !c->host; /* the host takes no second turn */
    if (!is_above)
        is_above = !flag_of(c, calc_root_rest(c, plan, r, &u, n, t)) && !c->is_planning;
    bool ends_below = is_above && (k->is_second || c->host);
    k->is_above = is_above && !ends_below;
    if (ends_below || (c->host && c->is_planning))
        calc_root_below(c, plan, s, r, n, t);
    if (ends_below)
        give(c, k, s, r);
    else if (!is_above) {
        calc_root_demand(c, plan, n, t, u, r);
        give(c, k, t, r);
    }
}

/* ---- the host's part */

/* x = floor({np, nn} 2^(k shift) / B^(k (m - f))): the k f quads that decide of the number shifted
 * up. */
static void highest(mpz_ptr x, const struct work *k) {
    const mpz_t n = MPZ_ROINIT_N((mp_ptr)k->x.np, (mp_size_t)k->x.nn);
    const struct calc_root_plan *plan = &k->plan;
    int64_t down =
        (int64_t)(plan->k * (QUAD_BITS * (plan->m - plan->first))) - (int64_t)plan->k * plan->shift;
    if (down >= 0)
        mpz_tdiv_q_2exp(x, n, (mp_bitcnt_t)down);
    else
        mpz_mul_2exp(x, n, (mp_bitcnt_t)-down);
}

/* z = floor(B^(k f) / (k (s+2)^(k-1))) - 2^(k+3): s + 2 is above the root, so z is too small. */
static void first_inverse(mpz_ptr z, mpz_srcptr s, unsigned long k, uint64_t f) {
    mpz_t p, one;
    mpz_init(p);
    mpz_init(one);
    real.mpz_add_ui(p, s, 2);
    real.mpz_pow_ui(p, p, k - 1);
    real.mpz_mul_ui(p, p, k);
    mpz_set_ui(one, 1);
    mpz_mul_2exp(z, one, k * QUAD_BITS * f);
    real.mpz_tdiv_q(z, z, p);
    mpz_mul_2exp(one, one, k + 3);
    real.mpz_sub(z, z, one);
    mpz_clear(p);
    mpz_clear(one);
}

/* s = the root of what decides, less 1; and z (lib/calc/calc_newton.h). */
static void first_approximation(mp_ptr first, const struct work *k) {
    uint64_t f = k->plan.first;
    mpz_t s, z;
    mpz_init(s);
    mpz_init(z);
    highest(z, k);
    if (k->plan.k == 2)
        real.mpz_sqrt(s, z);
    else
        real.mpz_root(s, z, k->plan.k);
    real.mpz_sub_ui(s, s, 1);
    first_inverse(z, s, k->plan.k, f);
    normalize_pad(first, QUAD_LIMBS * f, s);
    normalize_pad(first + QUAD_LIMBS * f, QUAD_LIMBS * (f + 1), z);
    mpz_clear(s);
    mpz_clear(z);
}

static bool run(struct composite *w, struct work *k, const struct touch *touches, size_t count) {
    mp_limb_t first[FIRST_LIMBS];
    first_approximation(first, k);
    k->first = first;
    if (k->plan.k == 2)
        return recipe_run(w, square_root, k, sizeof *k, touches, count, k->x.nn);
    bool done = recipe_run(w, higher_root, k, sizeof *k, touches, count, k->x.nn);
    k->is_second = k->is_above;
    if (done && k->is_second)
        done = recipe_run(w, higher_root, k, sizeof *k, touches, count, k->x.nn);
    return done;
}

/* The remainder's limbs that the device's number has not. */
static void finish(const struct work *k) {
    uint64_t words = k->plan.k == 2 ? CALC_QUAD * k->plan.m : calc_root_power_words(&k->plan);
    size_t have = min_u64(k->rn, words / 2);
    if (k->r)
        mpn_zero(k->r + have, (mp_size_t)(k->rn - have));
    if (k->x.is_exact)
        *k->x.is_exact = k->is_exact;
}

static bool is_possible(const struct root *x) {
    return x->k == 2 || (x->k <= CALC_ROOT_MOST && ceil_div(bits_of(x), x->k) >= CALC_ROOT_LEAST);
}

bool root_of_limbs(struct composite *w, const struct root *x) {
    if (!is_possible(x))
        return false;
    struct work k = {.x = *x, .plan = plan_of(x), .sn = root_limbs(x), .rn = root_rest_limbs(x)};
    const struct touch touches[] = {{x->np, x->nn * sizeof *x->np, false},
                                    {x->sp, k.sn * sizeof *x->sp, true},
                                    {x->rp, x->rp ? k.rn * sizeof *x->rp : 0, true}};
    const size_t count = sizeof touches / sizeof *touches;
    struct composition_result s, r = {NULL, NULL, 0};
    bool done = false;
    if (composition_result_begin(&s, x->sp, k.sn, touches, count) &&
        composition_result_begin(&r, x->rp, k.rn, touches, count)) {
        k.s = composition_result_limbs(&s);
        k.r = composition_result_limbs(&r);
        done = run(w, &k, touches, count);
    }
    if (done)
        finish(&k);
    composition_result_end(&s, done);
    composition_result_end(&r, done);
    return done;
}

/* ---- mpz */

size_t root_size(mpz_srcptr u, unsigned long n) {
    const struct root x = {.np = u->_mp_d, .nn = mpz_size(u), .k = n};
    bool is_error = n < 2 || (n % 2 == 0 && u->_mp_size < 0);
    return is_error || x.nn == 0 || !is_possible(&x) ? 0 : x.nn;
}

/* The sizes of results whose limbs are there. */
static void set_size(mpz_ptr x, size_t n, bool negative) {
    n = normalize(x->_mp_d, n);
    x->_mp_size = negative ? -(int)n : (int)n;
}

bool root_mpz(struct composite *w, mpz_ptr r, mpz_ptr rest, bool *is_exact, mpz_srcptr u,
              unsigned long n) {
    struct root x = {.nn = mpz_size(u), .np = u->_mp_d, .k = n, .is_exact = is_exact};
    size_t sn = root_limbs(&x), rn = root_rest_limbs(&x);
    bool negative = u->_mp_size < 0;
    mpz_t own; /* a root that is not wanted */
    mpz_init(own);
    mpz_ptr s = r ? r : own;
    x.sp = composite_mpz_grow(s, sn);
    x.rp = rest ? composite_mpz_grow(rest, rn) : NULL;
    x.np = u->_mp_d; /* where r or rest is u */
    bool done = root_of_limbs(w, &x);
    if (done)
        set_size(s, sn, negative);
    if (done && rest)
        set_size(rest, rn, negative);
    mpz_clear(own);
    return done;
}

void root_square_mpz(struct composite *w, mpz_ptr s, mpz_ptr r, mpz_srcptr n) {
    if (n->_mp_size <= 0 ||
        thresholds_is_small(root_square_size((size_t)n->_mp_size), &thresholds.sqrt) ||
        !root_mpz(w, s, r, NULL, n, 2))
        real.mpz_sqrtrem(s, r, n);
}
