/* SPDX-License-Identifier: LGPL-3.0-or-later
 * Computes the product tree of all moduli, and the remainders along this tree. */
#include "examples/batch-gcd/trees.h"

#include <mpgpu.h>

#include "examples/batch-gcd/crew.h"

void trees_by_device(mpz_t *r, mpz_t *n, size_t count) {
    crew_progress("product tree");
    mpgpu_tree *t = mpgpu_tree_create((const mpz_t *)n, count);
    if (!t)
        crew_die("product tree", mpgpu_error());
    crew_progress("remainders");
    if (mpgpu_tree_cofactors(r, t))
        crew_die("remainders", mpgpu_error());
    mpgpu_tree_destroy(t);
}

/* ---- by GMP: number i of a level is the product of numbers 2 i and 2 i + 1 of the level below */

enum { LEVELS = 64 };

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

/* One step down the tree: from the remainders of a level, modulo the squares of its numbers, to
 * the remainders of the level below. */
struct descent {
    mpz_t *number, *below, *here;
};

static void reduce(void *descent, size_t i) {
    struct descent *d = descent;
    mpz_t square;
    mpz_init(square);
    mpz_mul(square, d->number[i], d->number[i]);
    mpz_mod(d->below[i], d->here[i / 2], square);
    mpz_clear(square);
}

static void divide(void *descent, size_t i) {
    struct descent *d = descent;
    mpz_divexact(d->below[i], d->here[i], d->number[i]);
}

void trees_by_gmp(mpz_t *r, mpz_t *n, size_t count) {
    mpz_t *tree[LEVELS] = {n}, *rest;
    size_t nodes[LEVELS] = {count};
    unsigned top = 0;
    crew_progress("product tree");
    while (nodes[top] > 1) {
        struct level l = {tree[top], crew_numbers((nodes[top] + 1) / 2), nodes[top]};
        nodes[++top] = (l.under + 1) / 2;
        tree[top] = l.here;
        crew_work(multiply, &l, nodes[top]);
    }
    crew_progress("remainders");
    rest = crew_numbers(1);
    mpz_set(rest[0], tree[top][0]);
    for (unsigned k = top; k-- > 0;) {
        struct descent d = {tree[k], crew_numbers(nodes[k]), rest};
        crew_work(reduce, &d, nodes[k]);
        crew_free_numbers(rest, nodes[k + 1]);
        crew_free_numbers(tree[k + 1], nodes[k + 1]);
        rest = d.below;
    }
    struct descent d = {n, r, rest};
    crew_work(divide, &d, count);
    crew_free_numbers(rest, count);
}
