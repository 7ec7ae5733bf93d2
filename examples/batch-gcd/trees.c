/* SPDX-License-Identifier: LGPL-3.0-or-later
 * Product and remainder trees, by the library or by GMP. */
#include "examples/batch-gcd/trees.h"

#include <mpgpu.h>
#include <stdlib.h>

#include "examples/batch-gcd/util.h"

/* WAITING_BITS: the least bits of a tree, with which GMP takes as long as a device takes to open.
 */
enum { LEVELS = 64, WAITING_BITS = 1 << 20 };

struct trees {
    mpgpu_tree *tree; /* NULL if GMP computes */
    mpz_t *level[LEVELS];
    size_t nodes[LEVELS];
    unsigned top;
};

/* ---- trees computed by GMP: number i of a level is the product of the numbers 2 i and 2 i + 1 of
 * the level below */

struct level {
    mpz_t *below, *here;
    size_t under; /* numbers below */
};

static void multiply(void *level, size_t i) {
    struct level *l = level;
    if (2 * i + 1 < l->under)
        mpz_mul(l->here[i], l->below[2 * i], l->below[2 * i + 1]);
    else
        mpz_set(l->here[i], l->below[2 * i]);
}

static void build(struct trees *t) {
    while (t->nodes[t->top] > 1) {
        size_t under = t->nodes[t->top], nodes = (under + 1) / 2;
        struct level l = {t->level[t->top], util_numbers(nodes), under};
        t->nodes[++t->top] = nodes;
        t->level[t->top] = l.here;
        util_parallel_for(multiply, &l, nodes);
    }
}

/* The arguments of reduce, for one level of the tree.  From the remainders of the level above,
 * reduce computes the remainders modulo the level's numbers, or modulo their squares. */
struct descent {
    mpz_t *number, *below, *here;
    bool is_squared;
};

static void reduce(void *descent, size_t i) {
    struct descent *d = descent;
    mpz_t square;
    if (!d->is_squared) {
        mpz_mod(d->below[i], d->here[i / 2], d->number[i]);
        return;
    }
    mpz_init(square);
    mpz_mul(square, d->number[i], d->number[i]);
    mpz_mod(d->below[i], d->here[i / 2], square);
    mpz_clear(square);
}

/* Sets r[i] to x modulo leaf i of the tree, or, if is_squared, modulo the square of that leaf.
 * If is_squared, x must be below the square of the tree's root. */
static void descend(mpz_t *r, const struct trees *t, mpz_srcptr x, bool is_squared) {
    mpz_t *rest = util_numbers(1);
    if (is_squared)
        mpz_set(rest[0], x);
    else
        mpz_mod(rest[0], x, t->level[t->top][0]);
    for (unsigned k = t->top; k-- > 0;) {
        struct descent d = {t->level[k], util_numbers(t->nodes[k]), rest, is_squared};
        util_parallel_for(reduce, &d, t->nodes[k]);
        util_free_numbers(rest, t->nodes[k + 1]);
        rest = d.below;
    }
    for (size_t i = 0; i < t->nodes[0]; i++)
        mpz_swap(r[i], rest[i]);
    util_free_numbers(rest, t->nodes[0]);
}

struct quotients {
    mpz_t *r, *n;
};

static void divide(void *quotients, size_t i) {
    struct quotients *q = quotients;
    mpz_divexact(q->r[i], q->r[i], q->n[i]);
}

static void cofactors(mpz_t *r, const struct trees *t) {
    struct quotients q = {r, t->level[0]};
    descend(r, t, t->level[t->top][0], true);
    util_parallel_for(divide, &q, t->nodes[0]);
}

/* ---- trees computed by mpgpu.h */

static void need(bool is_done, const char *what) {
    if (!is_done)
        util_die(what, mpgpu_error());
}

/* Waits for the device if the tree is long.  While a device is opening, GMP computes trees of
 * mpgpu.h in one thread. */
static void wait_for_device(mpz_t *n, size_t count) {
    size_t bits = 0;
    for (size_t i = 0; i < count; i++)
        bits += mpz_sizeinbase(n[i], 2);
    if (bits < WAITING_BITS)
        return;
    util_progress("waiting for the device");
    mpgpu_wait();
}

struct trees *trees_create(mpz_t *n, size_t count, bool by_gmp) {
    struct trees *t = util_alloc(1, sizeof *t);
    if (!by_gmp)
        wait_for_device(n, count);
    util_progress("product tree");
    if (!by_gmp) {
        t->tree = mpgpu_tree_create((const mpz_t *)n, count);
        need(t->tree, "product tree");
        return t;
    }
    t->level[0] = n;
    t->nodes[0] = count;
    build(t);
    return t;
}

void trees_destroy(struct trees *t) {
    mpgpu_tree_destroy(t->tree);
    for (unsigned k = 1; k <= t->top; k++)
        util_free_numbers(t->level[k], t->nodes[k]);
    free(t);
}

void trees_root(mpz_ptr r, struct trees *t) {
    if (t->tree)
        need(mpgpu_tree_root(r, t->tree) == 0, "product");
    else
        mpz_set(r, t->level[t->top][0]);
}

void trees_mod(mpz_t *r, struct trees *t, mpz_srcptr x) {
    util_progress("remainders");
    if (t->tree)
        need(mpgpu_tree_mod(r, t->tree, x) == 0, "remainders");
    else
        descend(r, t, x, false);
}

void trees_cofactors(mpz_t *r, struct trees *t) {
    util_progress("cofactors");
    if (t->tree)
        need(mpgpu_tree_cofactors(r, t->tree) == 0, "cofactors");
    else
        cofactors(r, t);
}

void trees_product(mpz_ptr r, mpz_t *n, size_t count) {
    mpgpu_tree *t = mpgpu_tree_create((const mpz_t *)n, count);
    need(t && mpgpu_tree_root(r, t) == 0, "product");
    mpgpu_tree_destroy(t);
}

void trees_remainders(mpz_t *r, mpz_t *n, size_t count, mpz_srcptr x) {
    mpgpu_tree *t = mpgpu_tree_create((const mpz_t *)n, count);
    need(t && mpgpu_tree_mod(r, t, x) == 0, "remainders");
    mpgpu_tree_destroy(t);
}
