/* SPDX-License-Identifier: LGPL-3.0-or-later
 * Computes powers of a base, and numbers from their digits, by a conversion tree.
 *
 * Let b be the base, and d the number of digits in a leaf. Level j of the tree has 2^(levels - j)
 * numbers below b^(d 2^j). They are stored in slots of W_j words, the lowest number first. So a
 * level is one long number.
 *
 * Level j+1 joins the numbers of level j in pairs. The higher numbers of all pairs form a long
 * number H with slots of W_(j+1) words; the lower numbers form L. Then level j+1 is H b^(d 2^j) +
 * L. Each sum is below b^(d 2^(j+1)), so no carry leaves its slot. */
#include "lib/base/ceil_div.h"
#include "lib/calc/calc_head.h"
#include "lib/calc/calc_radix.h"
#include "lib/device/launch.h"

static uint64_t in_quads(uint64_t words) {
    return calc_words(32 * words);
}

void calc_radix_powers(struct calc *c, const struct calc_cut *x, struct number *power,
                       struct number leaf) {
    power[0] = number_part(leaf, 0, in_quads(calc_cut_words(x, 0)));
    for (unsigned j = 0; j < x->levels; j++) {
        struct number square = calc_take(c, 2 * power[j].words);
        calc_mul(c, square, power[j], power[j]);
        power[j + 1] = number_part(square, 0, in_quads(calc_cut_words(x, j + 1)));
    }
}

/* Computes the value of each leaf of the conversion tree from the leaf's digits in the text. */
static void leaves(struct calc *c, const struct calc_cut *x, struct number r,
                   const struct calc_text *text, struct number wrong) {
    uint64_t mark = calc_mark(c), count = (uint64_t)1 << x->levels, words = calc_cut_words(x, 0);
    struct number chunks = calc_take(c, count * x->chunks);
    calc_series(c);
    calc_text_chunks(c, x, chunks, text, wrong);
    /* Ends the series: text->tail is an argument of the launch above and differs in each call, so
     * the series would never repeat. */
    calc_series(c);
    calc_zero(c, number_part(r, count * words, r.words));
    if (calc_is_on(c))
        c->status =
            launch_leaf_set(c->s, launch_row(ceil_div(count, RADIX_THREADS)), r.mem, r.at, words,
                            chunks.mem, chunks.at, count, x->base, x->per, x->chunks);
    calc_drop(c, mark);
}

/* Computes `slots` numbers r of level j + 1 of the conversion tree from the pairs of numbers u of
 * level j. */
static void join(struct calc *c, const struct calc_cut *x, unsigned j, struct number r,
                 struct number u, struct number power) {
    uint64_t mark = calc_mark(c), slots = (uint64_t)1 << (x->levels - j - 1);
    uint64_t words = calc_cut_words(x, j), wide = calc_cut_words(x, j + 1);
    uint64_t n = in_quads((slots - 1) * wide + words);
    struct number high = calc_take(c, n), low = calc_take(c, n);
    struct number product = calc_take(c, n + power.words);
    if (calc_is_on(c))
        c->status =
            launch_radix_spread(c->s, launch_row(ceil_div(n, TEXT_THREADS)), high.mem, high.at, n,
                                low.mem, low.at, n, u.mem, u.at, slots, words, wide);
    calc_mul(c, product, high, power);
    calc_add(c, r, number_part(product, 0, r.words), low);
    calc_drop(c, mark);
}

/* Returns the length of all numbers of level j of the conversion tree together, in words, rounded
 * up to whole quads (128 bits each). */
static uint64_t level_words(const struct calc_cut *x, unsigned j) {
    return in_quads(calc_cut_words(x, j) << (x->levels - j));
}

struct number calc_radix_set(struct calc *c, const struct calc_cut *x, const struct number *power,
                             const struct calc_text *text, struct number wrong) {
    struct number u = calc_take(c, level_words(x, 0));
    const struct number room[] = {u, calc_take(c, u.words)};
    leaves(c, x, u, text, wrong);
    for (unsigned j = 0; j < x->levels; j++) {
        struct number r = number_part(room[(j + 1) % 2], 0, level_words(x, j + 1));
        join(c, x, j, r, u, power[j]);
        u = r;
    }
    return u;
}
