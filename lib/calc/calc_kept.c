/* SPDX-License-Identifier: LGPL-3.0-or-later
 * The device's engine: products by a factor whose transform is kept, and remainders. */
#include "lib/calc/calc_device.h"
#include "lib/calc/calc_half.h"
#include "lib/multiply/ntt.h"
#include "lib/multiply/remainder.h"
#include "lib/selftest/selftest.h"

/* Quads of a divisor from which on products modulo B^w - 1 are tried.  Below, launches count: those
 * of a step of a power, which have an answer of their own each, are no series any more. */
enum { WRAPS_FROM = 1 << 17, WRAPS_FROM_ON_CPU = 1 << 10 };

/* The transform, of f->length. */
static void keep(struct calc *c, const struct calc_factor *f) {
    if (c->is_planning && c->status == GPU_OK)
        c->status = ntt_keep_room(c->s, &f->length, f->slot);
    calc_need(c, f->x);
    if (calc_is_on(c))
        c->status = ntt_keep(c->s, &f->length, f->slot, f->x);
}

/* For products modulo B^n - 1, or in this device's half of that or of products in full. */
static bool plan_length(struct calc *c, struct calc_factor *f) {
    struct ntt_length half;
    if (f->least > 0)
        f->ring = calc_plan_ring(c, &f->length, f->least, f->most, f->x.words);
    f->is_halved = calc_half_plan(c, &half, f->ring, f->most, f->x.words);
    if (f->is_halved)
        f->length = half;
    return f->is_halved || f->ring > 0;
}

/* For products in full, of one piece and one part. */
static bool plan_full(struct calc *c, struct calc_factor *f) {
    uint64_t un = f->most, vn = f->x.words;
    struct product p;
    calc_plan_product(c, &p, un > vn ? un : vn, un > vn ? vn : un);
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
