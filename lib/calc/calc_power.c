/* SPDX-License-Identifier: LGPL-3.0-or-later
 * Powers.  What is above the bits that a number has at most is cut off. */
#include "lib/calc/calc_power.h"

#include "lib/base/conf.h"
#include "lib/calc/calc_check.h"
#include "lib/calc/calc_head.h"

/* ---- sizes */

/* A number that is at most top 2^exponent, 2^(TOP_BITS-1) <= top <= 2^TOP_BITS but for small ones.
 */
enum { TOP_BITS = 62 };
struct magnitude {
    uint64_t top, exponent;
};

static unsigned length(uint64_t x) {
    return x ? 64 - (unsigned)__builtin_clzll(x) : 0;
}

static struct magnitude magnitude_of(unsigned __int128 top, uint64_t exponent) {
    unsigned high = length((uint64_t)(top >> 64));
    unsigned bits = high ? 64 + high : length((uint64_t)top);
    unsigned shift = bits > TOP_BITS ? bits - TOP_BITS : 0;
    return (struct magnitude){(uint64_t)(top >> shift) + (shift > 0), exponent + shift};
}

static struct magnitude magnitude_of_number(const uint64_t *x, uint64_t limbs) {
    unsigned __int128 top = x[limbs - 1];
    if (limbs > 1)
        top = (top << 63 | x[limbs - 2] >> 1) + 1;
    return magnitude_of(top, limbs > 1 ? 64 * (limbs - 2) + 1 : 0);
}

static struct magnitude magnitude_mul(struct magnitude x, struct magnitude y) {
    return magnitude_of((unsigned __int128)x.top * y.top, x.exponent + y.exponent);
}

static uint64_t magnitude_bits(struct magnitude x) {
    return length(x.top) + x.exponent;
}

static bool bit_at(const struct calc_power *p, unsigned step) {
    return p->exponent >> step & 1;
}

uint64_t calc_power_bits(const struct calc_power *p) {
    struct magnitude x = magnitude_of_number(p->start, p->start_limbs);
    struct magnitude base = magnitude_of_number(p->base, p->base_limbs);
    for (unsigned step = p->steps; step-- > 0;) {
        x = magnitude_mul(x, x);
        if (bit_at(p, step))
            x = magnitude_mul(x, base);
    }
    return magnitude_bits(x) + p->shift;
}

/* ---- the power */

/* x, and where the next product goes: the rooms change places. */
struct chain {
    const struct calc_power *p;
    struct number x, room[2], base;
    struct magnitude size, base_size;
    uint64_t limb, bits; /* the base's lowest; the result's */
    unsigned at;
};

/* The product r in the next room is x now, of that size. */
static void become(struct chain *k, struct number r, struct magnitude size) {
    k->size = size;
    k->x = number_part(r, 0, calc_words(magnitude_bits(size)));
    k->at ^= 1;
}

static void multiply(struct calc *c, struct chain *k, struct number y, struct magnitude size) {
    struct number r = number_part(k->room[k->at], 0, k->x.words + y.words);
    calc_mul(c, r, k->x, y);
    become(k, r, magnitude_mul(k->size, size));
}

static void multiply_by_limb(struct calc *c, struct chain *k) {
    struct magnitude size = magnitude_mul(k->size, k->base_size);
    struct number r = number_part(k->room[k->at], 0, calc_words(magnitude_bits(size)));
    calc_mul_1(c, r, k->x, k->limb);
    become(k, r, size);
}

static void multiply_by_base(struct calc *c, struct chain *k) {
    if (k->p->base_limbs == 1)
        multiply_by_limb(c, k);
    else
        multiply(c, k, k->base, k->base_size);
}

static struct number upload(struct calc *c, const uint64_t *x, uint64_t limbs) {
    return calc_upload(c, x, limbs, calc_words(64 * limbs));
}

static void begin(struct calc *c, const struct calc_power *p, struct chain *k) {
    uint64_t words = calc_words(k->bits) + 2 * CALC_QUAD; /* a product's, at most */
    k->room[0] = calc_take(c, words);
    k->room[1] = calc_take(c, words);
    k->x = upload(c, p->start, p->start_limbs);
    if (p->base_limbs > 1)
        k->base = upload(c, p->base, p->base_limbs);
}

static uint64_t expected(const struct calc_power *p, struct check_modulus q) {
    uint64_t x = 1 % q.m, base = calc_residue_of_number(p->base, p->base_limbs, q);
    for (unsigned i = 64; i-- > 0;) {
        x = modulus_mul(x, x, q);
        if (bit_at(p, i))
            x = modulus_mul(x, base, q);
    }
    return modulus_mul(x, (UINT64_C(1) << p->shift) % q.m, q);
}

/* What is to be known of the numbers: the host's part reads them once. */
static bool measure(struct calc *c, const struct calc_power *p, struct chain *k) {
    if (!calc_host_begin(c))
        return false;
    *k = (struct chain){.p = p,
                        .size = magnitude_of_number(p->start, p->start_limbs),
                        .base_size = magnitude_of_number(p->base, p->base_limbs),
                        .limb = p->base[0],
                        .bits = calc_power_bits(p)};
    calc_host_end(c);
    return true;
}

/* The result's residue. */
static void check(struct calc *c, const struct calc_power *p, struct number r) {
    if (!calc_is_on(c) || mpgpu_conf.verify != VERIFY_DEVICE || !calc_host_begin(c))
        return;
    uint64_t residue = expected(p, c->s->modulus);
    calc_host_end(c);
    calc_demand_residue(c, r, residue);
}

struct number calc_power(struct calc *c, const struct calc_power *p) {
    struct chain k;
    if (!measure(c, p, &k))
        return calc_take(c, 0);
    begin(c, p, &k);
    for (unsigned step = p->steps; step-- > 0;) {
        multiply(c, &k, k.x, k.size);
        if (bit_at(p, step))
            multiply_by_base(c, &k);
    }
    struct number r = number_part(k.room[k.at], 0, calc_words(k.bits));
    calc_shift(c, r, k.x, -(int64_t)p->shift, false);
    check(c, p, r);
    return r;
}
