/* SPDX-License-Identifier: LGPL-3.0-or-later
 * Computes the digits of a number from fractions (Bernstein, Scaled remainder trees, 2004,
 * https://cr.yp.to/arith/scaledmod-20040820.pdf; Brent and Zimmermann, Modern Computer Arithmetic,
 * 2010, section 1.7.2): by products alone, without divisions.
 *
 * Definitions.
 *
 * - u is the number, b the base of the text, and B = 2^32.
 * - The text is cut into leaves of d digits each.
 * - A node of level j of the conversion tree stands for D = d 2^j consecutive digits of the text.
 * - The node whose digits end below digit m has the fraction x = (u mod b^m) / b^m. Its D digits
 *   are the first D digits of x.
 * - Fractions of level j have w_j words. w_0 is one word more than a leaf's number. w_(j+1) = w_j +
 *   s_j, where s_j is such that b^(d 2^j) < B^(s_j).
 *
 * One step computes the fractions of level j from those of level j + 1, with P = b^(d 2^j). The
 * fractions of a level, lowest first, are adjacent and form one long number, which is multiplied by
 * P. A node x of level j + 1 has two children:
 *
 * - The higher half of its digits: the fraction is the highest w_j words of x.
 * - The lower half: the fraction is x P modulo 1, the words at the same places of the product.
 *
 * Both fractions are truncated. In the product, the words below a fraction add less than P <
 * B^(s_j) to it: less than one unit in the last of the w_j words. For the lowest fraction of a
 * product modulo B^n - 1, the words that wrap around add as much. (If the product is 0, its
 * remainder may be B^n - 1, which is less than a unit too small, modulo 1.)
 *
 * Errors, in units in the last place. An error at level j + 1 is no larger at level j, since P <
 * B^(s_j). Each level adds one more unit in either direction. So errors of leaves are from
 * -(CALC_RADIX_ERROR + levels) to levels, and their size is below RADIX_BIAS. The leaves add
 * RADIX_BIAS, so their errors are positive and below RADIX_ERROR. kernels/radix/leaf.cl decides
 * what the digits are. */
#include "lib/base/ceil_div.h"
#include "lib/calc/calc_head.h"
#include "lib/calc/calc_radix.h"
#include "lib/calc/calc_reciprocal.h"
#include "lib/device/launch.h"

_Static_assert(CALC_RADIX_ERROR + CALC_RADIX_LEVELS < RADIX_BIAS, "errors are made positive");
_Static_assert(RADIX_BIAS + CALC_RADIX_LEVELS < RADIX_ERROR, "and known to be small");

static uint64_t in_quads(uint64_t words) {
    return calc_words(32 * words);
}

/* Returns the length of all fractions of level j of the conversion tree together, in words, rounded
 * up to whole quads (128 bits each). */
static uint64_t level_words(const struct calc_cut *x, unsigned j) {
    return in_quads(calc_radix_fraction_words(x, j) << (x->levels - j));
}

/* Computes u / divisor by the divisor's reciprocal v of k quads (128 bits each). Let the divisor,
 * shifted up by `shift` bits, have n quads, and B = 2^128. Then 0 < B^(n+k) / (divisor 2^shift) - v
 * < 3. So u v 2^shift / B^(n+k) is less than u / divisor, by less than 3 B^-k. Truncating it costs
 * one more unit. */
struct number calc_radix_fraction(struct calc *c, const struct calc_cut *x, struct number u,
                                  struct number divisor, uint64_t bits, struct number first) {
    uint64_t n = calc_words(bits) / CALC_QUAD, k = calc_radix_reciprocal_quads(x);
    uint64_t below = k + 1 > n ? k + 1 - n : 0, words = calc_radix_fraction_words(x, x->levels);
    int64_t shift = (int64_t)(n * CALC_QUAD_BITS - bits);
    struct number f = calc_take(c, level_words(x, x->levels));
    uint64_t mark = calc_mark(c);
    struct number d = calc_take(c, CALC_QUAD * (n + below));
    calc_shift(c, d, divisor, -shift - (int64_t)(below * CALC_QUAD_BITS), false);
    struct number v = calc_reciprocal(c, d, k, first);
    struct number product = calc_take(c, CALC_QUAD * (n + k + 1));
    calc_mul(c, product, number_part(u, 0, CALC_QUAD * n), v);
    calc_shift(c, f, product, (int64_t)((n + k) * CALC_QUAD_BITS - 32 * words) - shift, false);
    calc_drop(c, mark);
    return f;
}

/* Computes the fractions r of level j of the conversion tree from the fractions u of level j +
 * 1. */
static void split(struct calc *c, const struct calc_cut *x, unsigned j, struct number r,
                  struct number u, struct number power) {
    uint64_t mark = calc_mark(c), slots = (uint64_t)1 << (x->levels - j - 1);
    struct number product = calc_mul_wrapped(c, u.words, u, power);
    if (calc_is_on(c))
        c->status = launch_radix_split(c->s, launch_row(ceil_div(r.words, TEXT_THREADS)), r.mem,
                                       r.at, r.words, u.mem, u.at, product.mem, product.at, slots,
                                       calc_radix_fraction_words(x, j + 1),
                                       calc_radix_fraction_words(x, j));
    calc_drop(c, mark);
}

/* Computes the digits of each leaf from its fraction in f. Writes them as `chunks`, words of x->per
 * digits (kernels/radix/text.h). */
static void leaves(struct calc *c, const struct calc_cut *x, struct number chunks,
                   struct number f) {
    uint64_t mark = calc_mark(c), count = (uint64_t)1 << x->levels;
    uint64_t groups = ceil_div(count, RADIX_THREADS);
    struct number info = calc_take(c, count), flags = calc_take(c, groups);
    if (calc_is_on(c))
        c->status = launch_leaf_get(c->s, launch_row(groups), chunks.mem, chunks.at, info.mem,
                                    info.at, f.mem, f.at, (uint32_t)calc_radix_fraction_words(x, 0),
                                    count, x->base, x->per, x->head, x->chunks);
    if (calc_is_on(c))
        c->status = launch_leaf_chain(c->s, launch_row(groups), flags.mem, flags.at, info.mem,
                                      info.at, count);
    if (calc_is_on(c))
        c->status =
            launch_leaf_resolve(c->s, launch_row(groups), chunks.mem, chunks.at, info.mem, info.at,
                                flags.mem, flags.at, count, x->base, x->per, x->head, x->chunks);
    calc_drop(c, mark);
}

void calc_radix_get(struct calc *c, const struct calc_cut *x, const struct number *power,
                    const struct calc_text *text, struct number f) {
    struct number chunks = calc_take(c, (uint64_t)x->chunks << x->levels);
    struct number u = f, first = calc_take(c, level_words(x, 0));
    const struct number room[] = {first, calc_take(c, first.words)};
    for (unsigned j = x->levels; j-- > 0;) {
        struct number r = number_part(room[j % 2], 0, level_words(x, j));
        split(c, x, j, r, u, power[j]);
        u = r;
    }
    leaves(c, x, chunks, u);
    calc_text_digits(c, x, text, chunks);
}
