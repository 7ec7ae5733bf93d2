/* SPDX-License-Identifier: LGPL-3.0-or-later
 * Remainders of one number x modulo all leaves of a product tree, by scaled remainders. This
 * comment proves the error bounds. In it, B = 2^128 is a quad (4 words), and t < 2^61 is the
 * check's modulus.
 *
 * Definitions. A number N of the tree has n quads: N <= B^n. Let e = 1 for remainders and e = 2
 * for cofactors; for cofactors x is the root. The exact fraction of N is f = x / (N^e t) modulo
 * 1. The computed fraction F of N has m = e n + 1 quads:
 *
 *     F = f B^m + error, modulo B^m.
 *
 * The root. Its exact fraction f is x / (root t) for remainders. For cofactors it is root /
 * (root^2 t) = 1 / (root t). Let d = root t 2^s be the shifted divisor, of nn quads, and v its
 * reciprocal, of k quads. Then x v 2^s / B^(nn + k) is less than f by at most 3 x 2^s / B^(nn +
 * k). k is chosen so large that this is less than 3 B^-m. After truncation -4 < error <= 0.
 *
 * A child N with the sibling S: f(N) = f(parent) S^e modulo 1, so F is multiplied e times by S.
 * Let S have l quads: S <= B^l. Each product F S of an F of m quads leaves the new F, quads l to
 * m - 1 of F S. This multiplies the error by S / B^l <= 1. Three terms add to the error:
 *
 * - Truncation adds less than 1.
 * - tree_middle leaves out the columns of the product below a column c. They add less than 1: their
 *   sum is less than 2^12 2^64 2^(32 (c - 1)), and only words from c + 4 on are kept.
 * - A product modulo B^w - 1, with w >= m, adds its highest quads to the lowest l, with a carry
 *   of at most 1.
 *
 * So |error| < 4 + 3 e levels < 2^16 at all levels.
 *
 * A leaf N: 2^32 is added to F, so that 0 < error < 2^33. F stays below B^m, since f <= 1 - 1 /
 * (N^e t) and error < 2^67 <= B^m / (N^e t). Write F t as q B^m + g with 0 <= g < B^m. The number
 * j = f t N^e is an integer below N^e t, and error t N^e < B^m. So q = floor(j / N^e), and g /
 * B^m is above (j mod N^e) / N^e by less than 1 / N^e.
 *
 * For e = 1: r = floor(g N / B^m) = x mod N. For e = 2: x is a multiple of N, and so is j. Then
 *
 *     r = floor(g N / B^m) = (x mod N^2) / N = (x / N) mod N.
 *
 * The check uses j = x mod (N^e t). It is q N + r for e = 1, and (q N + r) N for e = 2. */
#include "lib/trees/tree_remainders.h"

#include "kernels/trees/trees.h"
#include "lib/base/ceil_div.h"
#include "lib/calc/calc_check.h"
#include "lib/calc/calc_head.h"
#include "lib/calc/calc_reciprocal.h"
#include "lib/device/launch.h"
#include "lib/device/modulus.h"
#include "lib/selftest/selftest.h"

enum {
    MOST_WORDS = 2048, /* maximum words of the numbers by which the kernel tree_middle multiplies */
    CPU_MOST_WORDS = 512,
    /* for fractions of at least this many words, products are computed modulo a number 2^k - 1 */
    WRAPPED_WORDS = 1 << 15,
};

/* The fractions (x modulo N) / N of one level's numbers N, stored one after the other. Used for
 * levels that are batches. */
struct fractions {
    /* two buffers of the same size: the level's fractions, and room for the next level's */
    struct number now, other;
    unsigned level;
};

static uint64_t factors(enum tree_kind kind) {
    return kind == TREE_COFACTOR ? 2 : 1;
}

static uint64_t level_words(const struct tree_remainders *t, unsigned level) {
    return tree_fraction_words(t->kind, t->plan->level[level].words);
}

/* ---- the root */

/* Computes the divisor d: the root times t (the check's modulus), shifted left until the highest
 * bit of its nn quads (4 words each) is set. */
static struct number divisor(struct calc *c, const struct tree_remainders *t, uint64_t nn) {
    struct number root = tree_root(t->plan, t->mem), d = calc_take(c, CALC_QUAD * nn);
    uint64_t mark = calc_mark(c);
    struct number by = calc_upload(c, t->t, 2, CALC_QUAD);
    struct number product = calc_take(c, root.words + CALC_QUAD);
    calc_need(c, by);
    calc_mul(c, product, root, by);
    calc_shift(c, d, product, -(int64_t)(CALC_QUAD_BITS * nn - t->d_bits), false);
    calc_drop(c, mark);
    return d;
}

/* Computes the root's fraction f. x must have been uploaded before, since kernels reuse the
 * upload's memory. */
static void begin(struct calc *c, const struct tree_remainders *t, struct number f,
                  struct number x) {
    const uint64_t root_words = tree_root(t->plan, t->mem).words;
    const uint64_t k = tree_reciprocal_quads(t->kind, root_words, t->x_bits, t->d_bits);
    const uint64_t limbs = calc_reciprocal_first_limbs(k);
    uint64_t nd = ceil_div(t->d_bits, CALC_QUAD_BITS), nn = nd > k ? nd : k + 1;
    uint64_t mark = calc_mark(c);
    int64_t s = (int64_t)(CALC_QUAD_BITS * nn - t->d_bits);
    int64_t over = (int64_t)(CALC_QUAD_BITS * (nn + k)) - 32 * (int64_t)f.words;
    struct number first = calc_upload(c, t->first, limbs, 2 * limbs);
    calc_need(c, first);
    struct number v = calc_reciprocal(c, divisor(c, t, nn), k, first);
    if (t->kind == TREE_REMAINDER) {
        struct number product = calc_take(c, x.words + v.words);
        calc_mul(c, product, v, x);
        v = product;
    }
    calc_shift(c, f, v, over - s, false);
    calc_drop(c, mark);
}

/* ---- higher levels of the tree, whose numbers are multiplied one by one */

/* Returns the product of f and v without its integer part: f.words - v.words words of the product,
 * from word v.words on. */
static struct number times(struct calc *c, struct number f, struct number v) {
    struct number r;
    if (f.words >= WRAPPED_WORDS) {
        r = calc_mul_wrapped(c, f.words, f, v);
    } else {
        r = calc_take(c, f.words + v.words);
        calc_mul(c, r, f, v);
    }
    return number_part(r, v.words, f.words - v.words);
}

/* Computes the fractions (x modulo N) / N of all numbers N of the tree below number i of `level`,
 * from the top down to level d->level. `f` is the fraction of number i. */
static void descend(struct calc *c, const struct tree_remainders *t, const struct fractions *d,
                    unsigned level, uint64_t i, struct number f) {
    if (level == d->level) {
        calc_copy(c, number_part(d->now, i * f.words, f.words), f);
        return;
    }
    const uint64_t half = t->plan->level[level].nodes, pair[] = {i, i + half};
    bool is_lone = tree_is_lone(t->plan, level, i);
    for (unsigned k = 0; k < (is_lone ? 1 : 2); k++) {
        uint64_t mark = calc_mark(c);
        uint64_t words =
            tree_fraction_words(t->kind, tree_number(t->plan, t->mem, level - 1, pair[k]).words);
        struct number part = f;
        for (uint64_t times_ = 0; times_ < factors(t->kind) && !is_lone; times_++)
            part = times(c, part, tree_number(t->plan, t->mem, level - 1, pair[1 - k]));
        descend(c, t, d, level - 1, pair[k], number_part(part, part.words - words, words));
        calc_drop(c, mark);
    }
}

/* ---- levels */

/* A launch of the kernel tree_middle, which computes middle words of products. Result number i is a
 * product of number i of the tree's level `level`, or of its sibling if by_sibling is set. The
 * other factor is a number of u, which has one number for each number of the level, or one for each
 * pair of siblings. */
struct middle {
    struct number r, u;
    uint64_t un, u_count; /* words of each number of u; count of its numbers */
    unsigned level;
    bool by_sibling;
    uint64_t from, rn, start;
};

static void launch_middle(struct calc *c, const struct tree_remainders *t, const struct middle *k) {
    const struct tree_level *v = &t->plan->level[k->level];
    uint64_t spans = ceil_div(k->from + k->rn - k->start, TREES_SPAN);
    uint64_t tiles = ceil_div(spans, TREES_THREADS), each = tiles > 1 ? 1 : TREES_THREADS / spans;
    if (calc_is_on(c))
        c->status = launch_tree_middle(
            c->s, launch_row(ceil_div(v->nodes, each)), k->r.mem, k->r.at, (uint32_t)k->rn,
            k->u.mem, k->u.at, (uint32_t)k->un, t->mem, v->at, (uint32_t)v->words,
            (uint32_t)k->from, (uint32_t)k->start, v->nodes, k->u_count,
            k->by_sibling ? v->slots / 2 : 0, (uint32_t)spans, (uint32_t)each, (uint32_t)tiles);
}

static void exchange(struct fractions *d) {
    struct number now = d->now;
    d->now = d->other;
    d->other = now;
}

/* Computes the fractions of level d->level - 1 from the fractions of level d->level. */
static void step_down(struct calc *c, const struct tree_remainders *t, struct fractions *d) {
    const struct tree_level *l = &t->plan->level[d->level - 1];
    struct middle k = {.un = level_words(t, d->level),
                       .u_count = t->plan->level[d->level].nodes,
                       .level = d->level - 1,
                       .by_sibling = true,
                       .from = l->words,
                       .start = l->words - CALC_QUAD};
    for (uint64_t i = 0; i < factors(t->kind); i++) {
        k.r = d->other;
        k.u = d->now;
        k.rn = k.un - l->words;
        launch_middle(c, t, &k);
        k.un = k.rn;
        k.u_count = l->nodes;
        exchange(d);
    }
    d->level--;
}

/* Returns the highest level whose fractions are computed as a batch. */
static unsigned first_batch(const struct calc *c, const struct tree_plan *plan) {
    uint64_t most = c->s->dev.caps.is_cpu ? CPU_MOST_WORDS : MOST_WORDS;
    unsigned level = 0;
    while (level < plan->batches && plan->level[level + 1].words <= 2 * most)
        level++;
    return level;
}

static struct fractions take_rooms(struct calc *c, const struct tree_remainders *t) {
    struct fractions d = {.level = first_batch(c, t->plan)};
    uint64_t most = t->plan->level[d.level].nodes * level_words(t, d.level);
    for (unsigned k = 0; k < d.level; k++) {
        uint64_t words = level_words(t, k + 1) - t->plan->level[k].words;
        words *= t->plan->level[k].nodes;
        most = words > most ? words : most;
    }
    d.now = calc_take(c, most);
    d.other = calc_take(c, most);
    return d;
}

/* ---- leaves */

/* Returns x / 2^(64 * times) modulo q.m. */
static uint64_t divided(uint64_t x, uint64_t times, struct check_modulus q) {
    for (uint64_t i = 0; i < times; i++)
        x = residue_product(x, 1, q.m, q.minv);
    return x;
}

static void check(struct calc *c, const struct tree_remainders *t, struct number q,
                  struct number r) {
    const struct tree_level *l = &t->plan->level[0];
    bool is_product = t->kind == TREE_COFACTOR;
    uint64_t limbs = l->words / 2;
    if (!calc_is_on(c) || !t->is_checked)
        return;
    const struct check_modulus m = c->s->modulus;
    uint64_t expected = divided(t->residue, is_product ? 2 * limbs + 1 : limbs, m);
    struct number right = calc_check_count(c, l->nodes);
    calc_demand_residue(c, (struct number){t->mem, l->at, l->nodes * l->words}, t->of_leaves);
    if (calc_is_on(c))
        c->status = launch_tree_check(c->s, launch_row(ceil_div(l->nodes, TREES_THREADS)), t->mem,
                                      l->at / 2, r.mem, r.at / 2, (uint32_t)limbs, q.mem, q.at / 2,
                                      l->nodes, is_product, m.m, m.minv,
                                      modulus_mul(m.one, m.one, m), expected, right.mem, right.at);
}

static void finish(struct calc *c, const struct tree_remainders *t, struct fractions *d) {
    const struct tree_level *l = &t->plan->level[0];
    uint64_t words = level_words(t, 0);
    struct number q = calc_take(c, 2 * l->nodes), r = calc_take(c, l->nodes * l->words);
    struct middle k = {
        .r = r, .u = d->now, .un = words, .u_count = l->nodes, .from = words, .rn = l->words};
    if (calc_is_on(c))
        c->status = launch_tree_scale(c->s, launch_row(ceil_div(l->nodes, TREES_THREADS)),
                                      d->now.mem, d->now.at / 2, (uint32_t)words, q.mem, q.at / 2,
                                      l->nodes, c->s->modulus.m);
    launch_middle(c, t, &k);
    calc_download(c, t->r, r, l->nodes * l->words / 2);
    check(c, t, q, r);
}

void tree_remainders(struct calc *c, const struct tree_remainders *t) {
    if (c->status == GPU_OK && c->is_planning)
        c->status = selftest_tree(c->s);
    struct number x = {.words = 0};
    if (t->kind == TREE_REMAINDER)
        x = calc_upload(c, t->x, t->x_limbs, calc_words(64 * t->x_limbs));
    if (x.words > 0)
        calc_need(c, x);
    struct fractions d = take_rooms(c, t);
    uint64_t mark = calc_mark(c);
    struct number f = calc_take(c, tree_fraction_words(t->kind, tree_root(t->plan, t->mem).words));
    begin(c, t, f, x);
    descend(c, t, &d, t->plan->top, 0, f);
    calc_drop(c, mark);
    while (d.level > 0)
        step_down(c, t, &d);
    finish(c, t, &d);
}
