/* SPDX-License-Identifier: LGPL-3.0-or-later
 * Products of device numbers. Whole products are not computed by fft: its rounding errors would be
 * detected only at the operation's end. */
#include "lib/calc/calc_device.h"

#include "lib/base/ceil_div.h"
#include "lib/base/conf.h"
#include "lib/calc/calc_half.h"
#include "lib/device/answers.h"
#include "lib/multiply/batch.h"
#include "lib/multiply/fft_product.h"
#include "lib/multiply/mulmod.h"
#include "lib/multiply/ntt.h"
#include "lib/multiply/remainder.h"
#include "lib/selftest/selftest.h"
#include "lib/selftest/verified_plan.h"

/* Least quads (128 bits each) of a divisor for products modulo a number 2^k - 1. For shorter
 * divisors launches take most of the time. Launches of such products cannot be repeated as a series
 * (calc_series). */
enum { WRAPS_FROM = 1 << 17, WRAPS_FROM_ON_CPU = 1 << 10 };

/* A saved plan of a product. It saves the time of planning, which is that of a launch or two. */
struct calc_plan {
    uint64_t un, vn;
    int algorithm;
    uint64_t memory; /* the memory limit */
    struct product product;
};
enum { PLANS = 64 };

/* Returns the place where the plan for these sizes is saved, or can be. Returns NULL if plans
 * cannot be saved. */
static struct calc_plan *place(struct context *s, uint64_t un, uint64_t vn) {
    struct calc_plan *plans = context_state(s, OWNER_PLANS, PLANS * sizeof *plans);
    return plans && !s->tight ? &plans[(un / CALC_QUAD * 5 + vn / CALC_QUAD) % PLANS] : NULL;
}

static bool is_for(const struct calc_plan *p, uint64_t un, uint64_t vn) {
    return p->un == un && p->vn == vn && p->algorithm == conf_job().algorithm &&
           p->memory == conf_job().memory;
}

/* Plans a product, or copies its saved plan. The planning run verifies the kernels. */
static void plan(struct calc *c, struct product *p, uint64_t un, uint64_t vn) {
    const unsigned without = WITHOUT(ALGORITHM_FFT);
    struct calc_plan *kept = place(c->s, un, vn);
    if (kept && is_for(kept, un, vn)) {
        *p = kept->product;
        return;
    }
    c->status = c->is_planning ? verified_plan_product(c->s, p, un, vn, without)
                               : product_plan(c->s, p, un, vn, without);
    if (kept && c->is_planning && c->status == GPU_OK)
        *kept = (struct calc_plan){un, vn, conf_job().algorithm, conf_job().memory, *p};
}

/* Multiplies on this device alone; u.words >= v.words, product.words is their sum. */
static void mul_alone(struct calc *c, struct number product, struct number u, struct number v) {
    struct product p;
    if (c->status == GPU_OK)
        plan(c, &p, u.words, v.words);
    if (c->status == GPU_OK && p.algorithm == BY_SMALL) {
        calc_need(c, u);
        calc_need(c, v);
    }
    if (calc_is_on(c))
        c->status = product_mul(c->s, &p, product, u, v);
}

void calc_device_mul(struct calc *c, struct number r, struct number u, struct number v) {
    struct ntt_length l;
    if (calc_half_plan(c, &l, 0, u.words, v.words))
        calc_half_mul(c, &l, r, u, &v, SLOT_COUNT);
    else
        mul_alone(c, r, u.words < v.words ? v : u, u.words < v.words ? u : v);
}

/* Plans a product of un by vn words modulo 2^(32 n) - 1. Returns n in words, and sets the
 * transforms' length. Returns 0 if such a product does not pay (mulmod_minus_words in
 * lib/multiply/mulmod.h). */
static uint64_t plan_ring(struct calc *c, struct ntt_length *l, uint64_t least, uint64_t un,
                          uint64_t vn) {
    uint64_t words = c->wraps ? mulmod_minus_words(least, un, vn) : 0;
    struct mulmod m = {.words = words};
    if (words == 0 || c->status != GPU_OK)
        return 0;
    mulmod_plan(c->s, &m, un > vn ? un : vn, un > vn ? vn : un,
                WITHOUT(ALGORITHM_SSA) | WITHOUT(ALGORITHM_FFT));
    *l = m.length;
    if (m.way == MULMOD_BY_NTT && c->is_planning)
        c->status = selftest_mulmod(c->s, &l->ring[0]);
    return m.way == MULMOD_BY_NTT ? words : 0;
}

static void mul_in_ring(struct calc *c, const struct ntt_length *l, struct number r,
                        struct number u, struct number v) {
    if (calc_is_on(c))
        c->s->mulmod_answer = calc_next_open(c);
    if (calc_is_on(c))
        c->status = ntt_mul_wraparound(c->s, l, r, u, v);
}

void calc_device_mul_1(struct calc *c, struct number r, struct number u, uint64_t v) {
    const struct number none = {r.mem, r.at, 0};
    if (c->status == GPU_OK && c->is_planning)
        c->status = selftest_limb(c->s);
    calc_need(c, u);
    if (calc_is_on(c))
        c->status = number_mul_1(c->s, r, u, v, none, 0);
}

void calc_device_divide_1(struct calc *c, struct number r, struct number u, uint32_t d) {
    if (c->status == GPU_OK && c->is_planning)
        c->status = selftest_divide(c->s);
    if (calc_is_on(c))
        c->status = number_divide_1(c->s, r, u, d);
}

struct number calc_device_mul_wrapped(struct calc *c, uint64_t least, struct number u,
                                      struct number v) {
    struct ntt_length l, half;
    uint64_t n = plan_ring(c, &l, least, u.words, v.words);
    if (n == 0) {
        struct number r = calc_take(c, u.words + v.words);
        calc_mul(c, r, u, v);
        return r;
    }
    struct number r = calc_take(c, n + NTT_SURPLUS);
    if (calc_half_plan(c, &half, n, u.words, v.words))
        calc_half_mul(c, &half, number_part(r, 0, n), u, &v, SLOT_COUNT);
    else
        mul_in_ring(c, &l, r, u, v);
    return number_part(r, 0, n);
}

/* ---- products modulo 2^p - 1 */

/* If 2^p - 1 has fewer words, a whole product and its reduction take no longer, by a measurement on
 * an H200 (doc/measurements/fft_product.md). The option `algorithm:fft` ignores this limit. */
#define MERSENNE_LEAST_WORDS ((uint64_t)1 << 21)

static bool wants_mersenne(const struct context *s, uint64_t words) {
    return product_algorithm(s, PROFILE_OTHER_MODULAR, words) == ALGORITHM_FFT &&
           (conf_job().algorithm == ALGORITHM_FFT || words >= MERSENNE_LEAST_WORDS);
}

/* Plans transforms for products modulo 2^p - 1, once in an operation. Returns false if there is no
 * plan for this p, the profile selects another algorithm, c->wraps is false, or two devices share
 * the operation. Also returns false unless `verify` is `device`: only this check finds all rounding
 * errors. */
static bool plan_mersenne(struct calc *c, uint64_t p, uint64_t words) {
    if (c->status != GPU_OK || !c->wraps || c->pair || mpgpu_conf.verify != VERIFY_DEVICE)
        return false;
    if (c->is_planning && c->mersenne_p == 0) {
        c->mersenne_p = p;
        if (!wants_mersenne(c->s, ceil_div(p, 32)) ||
            !fft_product_plan_mersenne(c->s, &c->mersenne, p, 2 * words))
            c->mersenne.length = 0;
        else if ((c->status = selftest_fft(c->s, &c->mersenne)) == GPU_NOMEM)
            c->status = GPU_ABSENT;
    }
    return c->mersenne_p == p && c->mersenne.length > 0;
}

bool calc_device_mul_mersenne(struct calc *c, uint64_t p, struct number x, struct number u,
                              struct number v) {
    if (!plan_mersenne(c, p, u.words + v.words))
        return false;
    if (calc_is_on(c))
        c->s->doubt_answer = calc_next_doubt(c);
    if (calc_is_on(c))
        c->status = fft_product_mul(c->s, &c->mersenne, x, u, v);
    c->s->doubt_answer = 0;
    return true;
}

void calc_device_mersenne_quotient(struct calc *c, struct number q, struct number u,
                                   struct number v) {
    const struct digits d = digits_make(c->mersenne.bits, c->mersenne.rest, c->mersenne.length);
    const struct number parts = calc_take(c, WRAPAROUND_WORDS);
    if (calc_is_on(c))
        c->status =
            wraparound_quotient(c->s, q, u, v, d, fft_product_offset_log(&c->mersenne), parts);
}

/* ---- factors whose transform is kept */

/* Computes the transform of f->x, of length f->length, and keeps it in f->slot. */
static void keep(struct calc *c, const struct calc_factor *f) {
    if (c->is_planning && c->status == GPU_OK)
        c->status = ntt_keep_room(c->s, &f->length, f->slot);
    calc_need(c, f->x);
    if (calc_is_on(c))
        c->status = ntt_keep(c->s, &f->length, f->slot, f->x);
}

/* Plans products by f: modulo a number 2^k - 1, or this device's half of a product that two devices
 * compute. Returns false if whole products on this device are needed. */
static bool plan_length(struct calc *c, struct calc_factor *f) {
    struct ntt_length half;
    if (f->least > 0)
        f->ring = plan_ring(c, &f->length, f->least, f->most, f->x.words);
    f->is_halved = calc_half_plan(c, &half, f->ring, f->most, f->x.words);
    if (f->is_halved)
        f->length = half;
    return f->is_halved || f->ring > 0;
}

/* Plans whole products by f. Returns false if ntt does not compute such a product as a whole, since
 * only one transform is kept. */
static bool plan_full(struct calc *c, struct calc_factor *f) {
    uint64_t un = f->most, vn = f->x.words;
    struct product p;
    if (c->status == GPU_OK)
        plan(c, &p, un > vn ? un : vn, un > vn ? vn : un);
    if (c->status != GPU_OK || p.algorithm != BY_NTT || p.ntt.parts > 1 || p.ntt.pieces > 1)
        return false;
    f->length = p.ntt.length;
    return true;
}

bool calc_device_keep(struct calc *c, struct calc_factor *f) {
    bool is_kept = plan_length(c, f) || plan_full(c, f);
    if (is_kept)
        keep(c, f);
    return is_kept;
}

static enum gpu_status multiply(struct calc *c, struct number r, struct number u,
                                const struct calc_factor *f) {
    if (f->ring == 0)
        return ntt_mul_kept(c->s, &f->length, r, u, f->slot);
    c->s->mulmod_answer = calc_next_open(c);
    return c->status == GPU_OK ? ntt_mul_kept_wraparound(c->s, &f->length, r, u, f->slot)
                               : c->status;
}

void calc_device_mul_kept(struct calc *c, struct number r, struct number u,
                          const struct calc_factor *f) {
    if (f->is_halved)
        calc_half_mul(c, &f->length, f->ring ? number_part(r, 0, f->ring) : r, u, NULL, f->slot);
    else if (calc_is_on(c))
        c->status = multiply(c, r, u, f);
}

/* ---- batches */

/* The longest numbers, in words, that CPUs multiply in batches. Longer batches would use
 * transforms, whose kernels take seconds to build. */
enum { CPU_MOST_WORDS = 512 };

uint64_t calc_batch_most_words(const struct calc *c) {
    return c->s->dev.caps.is_cpu ? CPU_MOST_WORDS : BATCH_MOST_WORDS;
}

void calc_mul_batch(struct calc *c, uint64_t count, uint64_t words, struct number r,
                    struct number u, struct number v) {
    const struct batch_operation op = {
        .kind = BATCH_PRODUCT, .count = count, .words = (uint32_t)words, .terms = 2};
    const struct batch_product p = {.r = r.mem,
                                    .u = u.mem,
                                    .v = v.mem,
                                    .count = count,
                                    .words = op.words,
                                    .result_words = 2 * op.words,
                                    .r_at = r.at,
                                    .u_at = u.at,
                                    .v_at = v.at};
    if (c->status == GPU_OK && c->is_planning)
        c->status = selftest_batch(c->s, &op);
    if (c->status == GPU_OK)
        c->status = batch_prepare(c->s, &op);
    if (calc_is_on(c))
        c->status = batch_multiply(c->s, &p);
}

/* ---- remainders */

uint64_t calc_device_least_wrapped(struct calc *c, uint64_t n) {
    if (n < (c->s->dev.caps.is_cpu ? WRAPS_FROM_ON_CPU : WRAPS_FROM))
        return 0;
    if (c->is_planning && c->status == GPU_OK)
        c->status = selftest_remainder(c->s);
    return CALC_QUAD * (n + 1);
}

void calc_device_remainder(struct calc *c, struct number r, struct number n, struct number product,
                           struct number q, struct number d) {
    c->status = remainder_make(c->s, r, n, product, q, d);
}
