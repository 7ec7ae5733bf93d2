/* SPDX-License-Identifier: LGPL-3.0-or-later
 * Powers modulo m: sliding windows over the exponent, each product reduced by the modulus's
 * reciprocal.  All is done modulo d = 2^s m with three zero bits above it: powers stay below 2d, so
 * that no reduction needs a correction.  At the end a power is reduced modulo m: 2^s of it by d.
 *
 * What is checked: x y = q d + r of each product, by residues, so that all powers are congruent;
 * and that the last is below m. */
#include "lib/calc/calc_powm.h"

enum { MOST_WINDOW = 6 };

struct power {
    struct calc *c;
    const struct calc_powm *p;
    unsigned window;
    struct number x, spare; /* the power so far, and the next: 2n quads each, of which n count */
    struct number odd[1 << (MOST_WINDOW - 1)]; /* b, b^3, b^5 ... */
};

/* One bit more doubles the table, and there are bits/(w+2) products by it, not bits/(w+1). */
static unsigned best_window(uint64_t bits) {
    unsigned w = 1;
    while (w < MOST_WINDOW && bits > (uint64_t)(w + 1) * (w + 2) << (w - 1))
        w++;
    return w;
}

uint64_t calc_powm_steps(uint64_t bits) {
    unsigned w = best_window(bits);
    return bits + bits / (w + 1) + ((uint64_t)1 << (w - 1)) + 2;
}

static struct number take(struct power *k, unsigned times) {
    return calc_take(k->c, times * CALC_QUAD * k->p->by.n);
}

/* x y modulo d, in the lowest quads of r, which has 2n and lies apart. */
static void multiply(struct power *k, struct number r, struct number x, struct number y) {
    struct calc *c = k->c;
    const struct calc_divisor *by = &k->p->by;
    uint64_t mark = calc_mark(c);
    calc_mul(c, r, x, y);
    struct number q = calc_lazy_reduce(c, by, r);
    calc_demand_reduced(c, x, y, q, by->d, number_part(r, 0, x.words));
    calc_drop(c, mark);
}

/* x = x y; where y has no words, x = x^2. */
static void step(struct power *k, struct number y) {
    struct number x = number_part(k->x, 0, CALC_QUAD * k->p->by.n), old = k->x;
    calc_series(k->c);
    multiply(k, k->spare, x, y.words > 0 ? y : x);
    k->x = k->spare;
    k->spare = old;
}

static unsigned bit(const struct power *k, uint64_t i) {
    return (unsigned)(k->p->exponent[i / 64] >> i % 64) & 1;
}

/* The window whose highest bit is `high`, a 1: the value, odd, and its lowest bit. */
static unsigned window_at(const struct power *k, uint64_t high, uint64_t *low) {
    unsigned value = 0;
    *low = high + 1 > k->window ? high + 1 - k->window : 0;
    while (!bit(k, *low))
        ++*low;
    for (uint64_t i = high + 1; i > *low; i--)
        value = 2 * value + bit(k, i - 1);
    return value;
}

static void make_table(struct power *k) {
    struct calc *c = k->c;
    unsigned entries = 1u << (k->window - 1);
    for (unsigned i = 1; i < entries; i++)
        k->odd[i] = take(k, 1);
    if (entries > 1)
        multiply(k, k->x, k->odd[0], k->odd[0]);
    for (unsigned i = 1; i < entries; i++) /* planning needs one */
        if (!c->is_planning || i == 1) {
            multiply(k, k->spare, k->odd[i - 1], number_part(k->x, 0, k->odd[0].words));
            calc_copy(c, k->odd[i], number_part(k->spare, 0, k->odd[i].words));
        }
}

/* x = b^exponent; the table is there.  Planning takes one step. */
static void power(struct power *k) {
    const struct number itself = {.words = 0};
    uint64_t low, left = k->p->bits; /* bits that are still to come */
    calc_copy(k->c, k->x, k->odd[window_at(k, left - 1, &low) / 2]);
    for (left = low; left > 0 && k->c->status == GPU_OK; left = low) {
        struct number odd = itself;
        low = left - 1;
        if (bit(k, low))
            odd = k->odd[window_at(k, low, &low) / 2];
        for (; left > low; left--)
            step(k, itself);
        if (odd.words > 0)
            step(k, odd);
        if (k->c->is_planning)
            return;
    }
}

/* The remainder of a number of at most so many quads. */
static struct number reduced(struct calc *c, const struct calc_divisor *by, struct number b) {
    struct number r = calc_take(c, CALC_QUAD * by->n);
    uint64_t mark = calc_mark(c), words = b.words > r.words ? b.words : r.words;
    struct number q = calc_take(c, words + CALC_QUAD - r.words),
                  rest = calc_take(c, words + CALC_QUAD);
    calc_copy(c, rest, b);
    calc_divide(c, by, q, rest);
    struct number low = number_part(rest, 0, r.words);
    calc_demand_less(c, low, by->d);
    calc_demand_product(c, b, q, by->d, low);
    calc_copy(c, r, low);
    calc_drop(c, mark);
    return r;
}

/* x modulo m. */
static struct number finish(struct calc *c, const struct calc_divisor *by, struct number x,
                            struct number modulus) {
    struct number r = calc_take(c, x.words);
    uint64_t mark = calc_mark(c);
    struct number shifted = calc_take(c, x.words + CALC_QUAD), q = calc_take(c, CALC_QUAD);
    calc_shift(c, shifted, x, -by->shift, false);
    calc_divide(c, by, q, shifted);
    calc_shift(c, r, number_part(shifted, 0, x.words), by->shift, false);
    calc_demand_less(c, r, modulus);
    calc_demand_product(c, x, q, modulus, r);
    calc_drop(c, mark);
    return r;
}

struct number calc_powm(struct calc *c, struct calc_powm *p, struct number b, struct number modulus,
                        struct number first) {
    struct power k = {.c = c, .p = p, .window = best_window(p->bits)};
    calc_divisor_make(c, &p->by, modulus, first);
    k.odd[0] = reduced(c, &p->by, b);
    k.x = take(&k, 2);
    k.spare = take(&k, 2);
    make_table(&k);
    power(&k);
    return finish(c, &p->by, number_part(k.x, 0, CALC_QUAD * p->by.n), modulus);
}
