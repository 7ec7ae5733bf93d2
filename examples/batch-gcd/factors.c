/* SPDX-License-Identifier: LGPL-3.0-or-later
 * Finds common factors: computes the gcd of each modulus and the product of all other moduli.  If
 * both primes of a modulus occur in other moduli, or the modulus occurs twice, this gcd is the
 * modulus itself.  Then gcds of the modulus with single other moduli may give a proper factor. */
#include "examples/batch-gcd/factors.h"

#include <stdlib.h>
#include <string.h>

#include "examples/batch-gcd/util.h"
#include "examples/batch-gcd/partners.h"
#include "examples/batch-gcd/residue.h"
#include "examples/batch-gcd/trees.h"
#include "examples/batch-gcd/twins.h"

struct search {
    const struct moduli *m;
    const struct set *set;
    /* gcd[i]: the gcd of modulus i and the product of the other new moduli. Until one_gcd has run,
     * gcd[i] is that product, reduced modulo modulus i. */
    mpz_t *gcd;
    /* If moduli are tested against a set: shared[i] is the gcd of modulus i and the product of the
     * set's moduli.  If the set has modulus i too, that product contains no new modulus. */
    mpz_t *shared;
    struct twins twins;
    bool by_gmp;
    struct found *found;
    size_t count;
};

static void one_gcd(void *search, size_t i) {
    struct search *s = search;
    mpz_srcptr n = s->m->n[i];
    mpz_gcd(s->gcd[i], s->gcd[i], n);
    if (s->set)
        mpz_gcd(s->shared[i], s->shared[i], n);
}

/* Sets r[i] to the product of the set's moduli, without those of s->twins, modulo leaf i of the
 * tree. */
static void divide_set(mpz_t *r, struct trees *t, const struct search *s) {
    mpz_t x;
    mpz_init(x);
    trees_root(x, t);
    residue(x, s->set, &s->twins, x, s->by_gmp);
    trees_mod(r, t, x);
    mpz_clear(x);
}

static void compute_gcds(struct search *s) {
    if (s->m->count == 0)
        return;
    struct trees *t = trees_create(s->m->n, s->m->count, s->by_gmp);
    if (s->set)
        divide_set(s->shared, t, s);
    trees_cofactors(s->gcd, t);
    trees_destroy(t);
    util_progress("gcds");
    util_parallel_for(one_gcd, s, s->m->count);
}

static bool is_found(const struct search *s, size_t i) {
    return mpz_cmp_ui(s->gcd[i], 1) != 0 || (s->set && mpz_cmp_ui(s->shared[i], 1) != 0);
}

static void add_found(struct search *s, size_t i) {
    mpz_srcptr n = s->m->n[i];
    struct found *f = &s->found[s->count++];
    f->i = f->same_as = i;
    mpz_init_set(f->factor, s->gcd[i]);
    if (!s->set)
        return;
    mpz_mul(f->factor, f->factor, s->shared[i]);
    mpz_gcd(f->factor, f->factor, n);
}

static void collect(struct search *s) {
    size_t count = 0;
    for (size_t i = 0; i < s->m->count; i++)
        count += is_found(s, i);
    s->found = util_alloc(count, sizeof *s->found);
    for (size_t i = 0; i < s->m->count; i++)
        if (is_found(s, i))
            add_found(s, i);
}

/* ---- twins: new moduli that the set already has */

static int compare(const void *index, const void *found) {
    size_t i = *(const size_t *)index, j = ((const struct found *)found)->i;
    return (i > j) - (i < j);
}

/* Computes shared[i] again for each twin i, with a product of the set that contains no twin. */
static void compute_others(struct search *s) {
    const struct twins *twins = &s->twins;
    mpz_t *n = util_alloc(twins->count, sizeof *n);
    for (size_t k = 0; k < twins->count; k++)
        *n[k] = *twins->twin[k].n;
    const struct moduli m = {.n = n, .count = twins->count};
    struct search others = {.m = &m, .gcd = util_numbers(m.count)};
    struct trees *t = trees_create(n, m.count, s->by_gmp);
    divide_set(others.gcd, t, s);
    trees_destroy(t);
    util_parallel_for(one_gcd, &others, m.count);
    for (size_t k = 0; k < m.count; k++)
        mpz_swap(s->shared[twins->twin[k].i], others.gcd[k]);
    util_free_numbers(others.gcd, m.count);
    free(n);
}

/* Finds new moduli that the set already has (twins).  A twin's gcd with the set's product is the
 * twin itself, so compute_others uses a product without twins. */
static void find_twins(struct search *s) {
    size_t count = 0, *i = util_alloc(s->count, sizeof *i);
    for (size_t k = 0; k < s->count; k++)
        if (mpz_cmp(s->shared[s->found[k].i], s->m->n[s->found[k].i]) == 0)
            i[count++] = s->found[k].i;
    util_progress("twins");
    s->twins = twins_find(s->m, i, count, s->set);
    free(i);
    for (size_t k = 0; k < s->twins.count; k++) {
        const struct twin *t = &s->twins.twin[k];
        struct found *f = bsearch(&t->i, s->found, s->count, sizeof *f, compare);
        f->same_in_set = t->number;
    }
    if (s->twins.count > 0)
        compute_others(s);
}

/* ---- moduli that divide the product of the other moduli: finds a proper factor by single gcds */

/* Returns true if n and `other` are equal. Otherwise, if no proper factor of n is known yet, sets
 * f->factor to their gcd if that is a proper factor. */
static bool is_same(struct found *f, mpz_srcptr n, mpz_srcptr other) {
    mpz_t g;
    if (mpz_cmp(other, n) == 0)
        return true;
    if (mpz_cmp(f->factor, n) != 0)
        return false;
    mpz_init(g);
    mpz_gcd(g, n, other);
    if (mpz_cmp_ui(g, 1) > 0 && mpz_cmp(g, n) < 0)
        mpz_set(f->factor, g);
    mpz_clear(g);
    return false;
}

static void split_by_partners(struct found *f, mpz_srcptr n) {
    for (size_t j = 0; j < f->partners; j++) {
        const struct partner *p = &f->partner[j];
        if (is_same(f, n, p->n) && !p->is_in_set && f->same_as == f->i)
            f->same_as = p->number;
    }
}

static void split(void *search, size_t k) {
    struct search *s = search;
    struct found *f = &s->found[k];
    mpz_srcptr n = s->m->n[f->i];
    if (mpz_cmp(f->factor, n) != 0)
        return;
    if (s->set) {
        split_by_partners(f, n);
        return;
    }
    for (size_t j = 0; j < s->count; j++) {
        size_t i = s->found[j].i;
        if (j != k && is_same(f, n, s->m->n[i]) && f->same_as == f->i)
            f->same_as = i;
    }
}

struct found *factors_find(const struct moduli *m, const struct set *set, bool by_gmp,
                           size_t *count) {
    struct search s = {.m = m, .set = set, .gcd = util_numbers(m->count), .by_gmp = by_gmp};
    s.shared = util_numbers(set ? m->count : 0);
    compute_gcds(&s);
    collect(&s);
    if (set) {
        find_twins(&s);
        partners_find(s.found, s.count, m, s.gcd, s.shared, set);
        twins_free(&s.twins);
    }
    util_parallel_for(split, &s, s.count);
    util_free_numbers(s.gcd, m->count);
    util_free_numbers(s.shared, set ? m->count : 0);
    util_progress("");
    *count = s.count;
    return s.found;
}

void factors_free(struct found *f, size_t count) {
    for (size_t k = 0; k < count; k++) {
        for (size_t j = 0; j < f[k].partners; j++)
            mpz_clear(f[k].partner[j].n);
        free(f[k].partner);
        mpz_clear(f[k].factor);
    }
    free(f);
}
