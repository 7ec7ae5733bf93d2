/* SPDX-License-Identifier: LGPL-3.0-or-later
 * Product trees. The factors are limbs in a matrix (lib/calc/calc_tree.h). Batches of products
 * multiply the limbs of each column, level by level. The products of the columns are then
 * multiplied one by one.
 *
 * The host knows an upper bound of each number's bits. A number has only the words for these bits,
 * since higher words of its product are 0. */
#include "lib/calc/calc_tree.h"

#include "lib/calc/calc_check.h"
#include "lib/calc/calc_head.h"
#include "lib/device/modulus.h"
#include "lib/multiply/batch.h"

_Static_assert(1 << CALC_TREE_LEVELS <= BATCH_MOST_WORDS, "a batch can do the last level");

static struct number trimmed(struct number x, uint64_t bits) {
    return number_part(x, 0, calc_words(bits));
}

/* ---- levels */

/* Multiplies number i of x by number i + count, for all i < count. Each has `words` words; the
 * product becomes number i of r. */
static void multiply_each(struct calc *c, struct number r, struct number x, uint64_t count,
                          uint64_t words) {
    for (uint64_t i = 0; i < count; i++)
        calc_mul(c, number_part(r, 2 * i * words, 2 * words), number_part(x, i * words, words),
                 number_part(x, (i + count) * words, words));
}

/* Returns the products of all columns, one after another. */
static struct number all_columns(struct calc *c, const struct calc_tree *t) {
    uint64_t limbs = t->columns << t->levels;
    struct number x = calc_upload(c, t->limbs, limbs, 2 * limbs), r = calc_take(c, 2 * limbs);
    calc_need(c, x);
    for (unsigned level = 0; level < t->levels; level++) {
        uint64_t words = UINT64_C(2) << level, count = t->columns << (t->levels - level - 1);
        if (words <= calc_batch_most_words(c))
            calc_mul_batch(c, count, words, r, x, number_part(x, count * words, count * words));
        else
            multiply_each(c, r, x, count, words);
        struct number other = x;
        x = r;
        r = other;
    }
    return x;
}

/* ---- groups */

/* Returns the product of `count` columns of x. */
static struct number product(struct calc *c, const struct calc_tree *t, struct number x,
                             uint64_t first, uint64_t count) {
    uint64_t words = UINT64_C(2) << t->levels, half = count / 2;
    if (count == 1)
        return trimmed(number_part(x, first * words, words), t->bits[first]);
    uint64_t low = calc_tree_columns_bits(t, first, half);
    uint64_t high = calc_tree_columns_bits(t, first + half, count - half);
    struct number r = calc_take(c, calc_words(low) + calc_words(high));
    uint64_t mark = calc_mark(c);
    struct number u = product(c, t, x, first, half);
    struct number v = product(c, t, x, first + half, count - half);
    calc_mul(c, r, u, v);
    calc_drop(c, mark);
    return trimmed(r, low + high);
}

/* ---- the product of all groups */

/* The product so far: x, of at most `bits` bits; without words it stands for 1. Each further
 * product is written to one of the two buffers in `room`, alternately. */
struct chain {
    struct number x, room[2];
    uint64_t bits;
    unsigned at;
};

static void step(struct calc *c, struct chain *k, struct number y, uint64_t bits) {
    calc_mul(c, number_part(k->room[k->at], 0, k->x.words + y.words), k->x, y);
    k->bits += bits;
    k->x = trimmed(k->room[k->at], k->bits);
    k->at ^= 1;
}

static void take_group(struct calc *c, const struct calc_tree *t, struct number columns, unsigned i,
                       struct chain *k) {
    const struct calc_tree_group *g = &t->groups[i];
    uint64_t mark = calc_mark(c), bits = calc_tree_group_bits(t, i);
    if (g->is_squared && k->x.words > 0)
        step(c, k, k->x, k->bits);
    if (g->columns == 0)
        return;
    struct number y = product(c, t, columns, g->first, g->columns);
    if (k->x.words > 0) {
        step(c, k, y, bits);
        calc_drop(c, mark);
    } else {
        k->x = y;
        k->bits = bits;
    }
}

/* ---- the check */

/* The number of independent chains of products that a CPU computes at once. */
enum { CHAINS = 4 };

/* Returns the residue, modulo q.m, of the product of all limbs of a matrix of `rows` rows and
 * `columns` columns. A row begins `pitch` limbs after the previous one. Each residue_product
 * divides by 2^64; the last one multiplies by the power of 2^64 that has been lost. */
static uint64_t residue_of_product(const uint64_t *x, uint64_t rows, uint64_t columns,
                                   uint64_t pitch, struct check_modulus q) {
    uint64_t product[CHAINS] = {1, 1, 1, 1}, whole = columns / CHAINS * CHAINS;
    for (uint64_t row = 0; row < rows; row++, x += pitch) {
        for (uint64_t i = 0; i < whole; i += CHAINS)
            for (unsigned k = 0; k < CHAINS; k++)
                product[k] = residue_product(x[i + k], product[k], q.m, q.minv);
        for (uint64_t i = whole; i < columns; i++)
            product[i - whole] = residue_product(x[i], product[i - whole], q.m, q.minv);
    }
    for (unsigned k = 1; k < CHAINS; k++)
        product[0] = residue_product(product[0], product[k], q.m, q.minv);
    uint64_t divisions = rows * columns + CHAINS - 1;
    return residue_product(product[0], modulus_power_of_words(2 * divisions, q), q.m, q.minv) % q.m;
}

static uint64_t expected(struct calc *c, const struct calc_tree *t) {
    const struct check_modulus q = c->s->modulus;
    uint64_t x = 1;
    if (t->start_limbs > 0)
        calc_read_residue(c, &x, t->start, t->start_limbs);
    const uint64_t *limbs = calc_enter(c, t->limbs, (t->columns << t->levels) * sizeof *limbs);
    if (!limbs)
        return 0;
    for (unsigned i = 0; i < t->count; i++) {
        const struct calc_tree_group *g = &t->groups[i];
        uint64_t y = residue_of_product(limbs + g->first, UINT64_C(1) << t->levels, g->columns,
                                        t->columns, q);
        x = modulus_mul(g->is_squared ? modulus_mul(x, x, q) : x, y, q);
    }
    calc_leave(c);
    return x;
}

/* Computes the whole product. A product needs room for the words of its two factors. Each factor is
 * at most a quad (128 bits) longer than its bits need. */
struct number calc_tree(struct calc *c, const struct calc_tree *t) {
    uint64_t words = calc_words(calc_tree_bits(t)) + 2 * CALC_QUAD;
    struct chain k = {.bits = t->start_bits};
    if (t->start_limbs > 0)
        k.x = trimmed(calc_upload(c, t->start, t->start_limbs, calc_words(64 * t->start_limbs)),
                      t->start_bits);
    k.room[0] = calc_take(c, words);
    k.room[1] = calc_take(c, words);
    struct number columns = all_columns(c, t);
    for (unsigned i = 0; i < t->count; i++)
        take_group(c, t, columns, i, &k);
    if (calc_check_is_on(c))
        calc_demand_residue(c, k.x, expected(c, t));
    return k.x;
}
