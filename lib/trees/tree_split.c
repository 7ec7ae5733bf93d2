/* SPDX-License-Identifier: LGPL-3.0-or-later
 * The levels of binary splitting (tree_split.h). The numbers p, q and t of a level have twice the
 * words of those of the level below. t = t_l q_r + p_l t_r is a sum, but it fits: if the numbers of
 * the level below are less than 2^b, t is less than 2^(2 b + 1). So b + 1 bits for each number of
 * the bottom level are enough for all levels. When numbers are multiplied one by one, only the
 * words that they can fill are multiplied. */
#include "lib/trees/tree_split.h"

#include <stdlib.h>

#include "kernels/trees/trees.h"
#include "lib/base/ceil_div.h"
#include "lib/calc/calc_check.h"
#include "lib/calc/calc_head.h"
#include "lib/device/launch.h"
#include "lib/device/limbs_residue.h"
#include "lib/device/modulus.h"
#include "lib/process/thread_pool.h"
#include "lib/selftest/selftest.h"

enum { P = 0, Q = 1, T = 2 };

/* The nodes of a level, each of which has three numbers p, q and t. The numbers p of all nodes come
 * first, then all q, then all t. */
struct nodes {
    struct number x, signs;
    uint64_t count, words;
    const struct tree_split_bits *bits;
};

static struct number all_of(const struct nodes *k, unsigned which) {
    return number_part(k->x, which * k->count * k->words, k->count * k->words);
}

static struct number one_of(const struct nodes *k, unsigned which, uint64_t i) {
    const struct tree_split_bits *bits = &k->bits[i];
    uint64_t most = calc_words(which == P ? bits->p : which == Q ? bits->q : bits->t);
    return number_part(all_of(k, which), i * k->words, most < k->words ? most : k->words);
}

/* Adds signed numbers: r = a + b, for `count` numbers of `words` words each, beginning with node
 * `first`. */
static void merge(struct calc *c, struct number r, struct number a, struct number b, uint64_t words,
                  const struct nodes *made, const struct nodes *below, uint64_t first,
                  uint64_t count) {
    uint64_t tiles = ceil_div(words, TREES_SPAN * TREES_THREADS);
    if (calc_is_on(c))
        c->status = launch_tree_merge(
            c->s, launch_row(count), r.mem, r.at, a.mem, a.at, b.mem, b.at, words, made->signs.mem,
            made->signs.at, below->signs.mem, below->signs.at, first, made->count, (uint32_t)tiles);
}

/* ---- batches */

/* Each node below has three numbers, of the kinds P, Q and T. Multiplies the number of kind u of
 * node i by the number of kind v of node i + half, for all i < half. The products go to r. */
static void multiply(struct calc *c, struct number r, const struct nodes *below, unsigned u,
                     unsigned v) {
    uint64_t half = below->count / 2;
    struct number from = all_of(below, u), by = all_of(below, v);
    calc_mul_batch(c, half, below->words, r, from,
                   number_part(by, half * below->words, half * below->words));
}

static void make_batch(struct calc *c, const struct nodes *made, const struct nodes *below,
                       bool needs_p) {
    uint64_t mark = calc_mark(c);
    struct number a = calc_take(c, made->count * made->words);
    struct number b = calc_take(c, made->count * made->words);
    multiply(c, a, below, T, Q);
    multiply(c, b, below, P, T);
    merge(c, all_of(made, T), a, b, made->words, made, below, 0, made->count);
    multiply(c, all_of(made, Q), below, Q, Q);
    if (needs_p)
        multiply(c, all_of(made, P), below, P, P);
    calc_drop(c, mark);
}

/* ---- higher levels, whose numbers are multiplied one by one */

static void product(struct calc *c, const struct nodes *made, const struct nodes *below,
                    unsigned which, uint64_t i) {
    struct number u = one_of(below, which, i), v = one_of(below, which, i + made->count);
    calc_mul(c, number_part(all_of(made, which), i * made->words, u.words + v.words), u, v);
}

static void make_one(struct calc *c, const struct nodes *made, const struct nodes *below,
                     uint64_t i, bool needs_p) {
    uint64_t mark = calc_mark(c), right = i + made->count, bits = made->bits[i].t;
    struct number tl = one_of(below, T, i), qr = one_of(below, Q, right);
    struct number pl = one_of(below, P, i), tr = one_of(below, T, right);
    uint64_t words = ceil_div(bits, 32);
    words = words > tl.words + qr.words ? words : tl.words + qr.words;
    words = words > pl.words + tr.words ? words : pl.words + tr.words;
    words = ceil_div(words, TREES_SPAN) * TREES_SPAN;
    struct number a = calc_take(c, words), b = calc_take(c, words);
    calc_mul(c, a, tl, qr);
    calc_mul(c, b, pl, tr);
    merge(c, number_part(all_of(made, T), i * made->words, words), a, b, words, made, below, i, 1);
    product(c, made, below, Q, i);
    if (needs_p)
        product(c, made, below, P, i);
    calc_drop(c, mark);
}

static void make_level(struct calc *c, const struct nodes *made, const struct nodes *below,
                       bool needs_p) {
    if (below->words <= calc_batch_most_words(c)) {
        make_batch(c, made, below, needs_p);
        return;
    }
    for (uint64_t i = 0; i < made->count; i++)
        make_one(c, made, below, i, needs_p);
}

/* ---- the check */

struct residues {
    uint64_t x[3];
};

static uint64_t signed_residue(uint64_t x, uint32_t is_negative, struct check_modulus q) {
    return is_negative && x ? q.m - x : x;
}

/* Computes the residues of the last node, which joins all bottom nodes, from those of the bottom
 * nodes. Takes the same steps as the device. */
static void fold(struct residues *r, uint64_t count, struct check_modulus q) {
    for (uint64_t half = count / 2; half > 0; half /= 2)
        for (uint64_t i = 0; i < half; i++) {
            const uint64_t *right = r[i + half].x;
            uint64_t *x = r[i].x;
            x[T] = (modulus_mul(x[T], right[Q], q) + modulus_mul(x[P], right[T], q)) % q.m;
            x[P] = modulus_mul(x[P], right[P], q);
            x[Q] = modulus_mul(x[Q], right[Q], q);
        }
}

struct leaves {
    uint64_t count, limbs; /* count of the numbers, and limbs of each */
    const uint64_t *x;
    struct check_modulus q;
    struct residues *residues;
};

static void take_residues(void *context, size_t first, size_t end) {
    const struct leaves *l = context;
    for (size_t i = first; i < end; i++)
        for (unsigned k = 0; k < 3; k++)
            l->residues[i].x[k] =
                limbs_residue(l->x + (k * l->count + i) * l->limbs, l->limbs, l->q);
}

/* Computes the residues of the bottom nodes, from the host's copy of their limbs and signs. */
static void read_residues(struct calc *c, const struct tree_split *s, struct residues *r) {
    const uint64_t count = UINT64_C(1) << s->levels, limbs = s->words / 2;
    const size_t bytes = 3 * count * limbs * sizeof(uint64_t);
    const struct check_modulus q = c->s->modulus;
    struct leaves l = {count, limbs, calc_enter(c, s->limbs, bytes), q, r};
    if (l.x) {
        thread_pool_loop(count, bytes, take_residues, &l);
        calc_leave(c);
    }
    const uint32_t *negative = calc_enter(c, s->negative, 3 * count * sizeof *negative);
    for (uint64_t i = 0; i < count && negative; i++)
        for (unsigned k = 0; k < 3; k++)
            r[i].x[k] = signed_residue(r[i].x[k], negative[3 * i + k], q);
    if (negative)
        calc_leave(c);
}

/* Computes the expected residues of the last node on the host while the device works. Returns false
 * if the check is off, or a step has failed. */
static bool expect(struct calc *c, const struct tree_split *s, struct residues *last) {
    const uint64_t count = UINT64_C(1) << s->levels;
    if (!calc_check_is_on(c))
        return false;
    struct residues *r = calloc(count, sizeof *r);
    if (!r)
        c->status = GPU_NOMEM;
    else
        read_residues(c, s, r);
    if (c->status == GPU_OK) {
        fold(r, count, c->s->modulus);
        *last = *r;
    }
    free(r);
    return c->status == GPU_OK;
}

/* Requests the comparison of the results' residues with the expected ones. The results' signs
 * must have been downloaded. */
static void demand(struct calc *c, const struct tree_split *s, const struct residues *last) {
    const uint32_t signs[] = {(uint32_t)s->signs[0], (uint32_t)(s->signs[0] >> 32),
                              (uint32_t)s->signs[1]};
    for (unsigned k = s->needs_p ? P : Q; k <= T && calc_is_on(c); k++)
        calc_demand_residue(c, s->result[k],
                            signed_residue(last->x[k], signs[k] & 1, c->s->modulus));
}

/* ---- all */

/* Allocates memory for a level; it suffices for every level. */
static struct nodes take(struct calc *c, const struct tree_split *s) {
    uint64_t count = UINT64_C(1) << s->levels;
    return (struct nodes){.x = calc_take(c, 3 * count * s->words),
                          .signs = calc_take(c, calc_words(32 * (3 * count + 1)))};
}

void tree_split(struct calc *c, struct tree_split *s) {
    const uint64_t count = UINT64_C(1) << s->levels, signs = (3 * count + 1) / 2;
    if (c->status == GPU_OK && c->is_planning)
        c->status = selftest_tree(c->s);
    struct nodes now = {
        .x = calc_upload(c, s->limbs, 3 * count * s->words / 2, 3 * count * s->words),
        .signs = calc_upload(c, s->negative, signs, calc_words(64 * signs)),
        .count = count,
        .words = s->words,
        .bits = s->bits};
    calc_need(c, now.x);
    calc_need(c, now.signs);
    struct nodes other = take(c, s);
    struct residues last;
    while (now.count > 1) {
        other.count = now.count / 2;
        other.words = 2 * now.words;
        other.bits = now.bits + now.count;
        make_level(c, &other, &now, s->needs_p || other.count > 1);
        struct nodes made = other;
        other = now;
        now = made;
    }
    for (unsigned k = P; k <= T; k++)
        s->result[k] = one_of(&now, k, 0);
    bool is_checked = expect(c, s, &last);
    calc_download(c, s->signs, now.signs, 2);
    if (is_checked)
        demand(c, s, &last);
}
