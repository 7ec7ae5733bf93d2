/* SPDX-License-Identifier: LGPL-3.0-or-later
 * Finds the partners of each new modulus: the moduli that share a factor with it.  In the set,
 * tests the product of each group of moduli first.  If this product and a new modulus have a common
 * factor, tests the products of both halves of the group, and so on. */
#include "examples/batch-gcd/partners.h"

#include <pthread.h>
#include <stdlib.h>
#include <string.h>

#include "examples/batch-gcd/util.h"
#include "examples/batch-gcd/trees.h"

struct partners {
    struct found *found;
    size_t count;
    const struct moduli *m;
    const struct set *set;
    mpz_t *gcd;      /* gcd[i]: the gcd of new modulus i and the product of the other new ones */
    mpz_t *shared;   /* shared[k]: the gcd of the set's product and the modulus of found[of[k]] */
    size_t *of;      /* indices into `found` of the moduli that share a factor with the set */
    size_t searched; /* the number of elements of `shared` and `of` */
    pthread_mutex_t lock;
};

static void append(struct found *f, bool is_in_set, size_t number, mpz_srcptr n) {
    size_t count = f->partners;
    if ((count & (count - 1)) == 0) {
        struct partner *more = realloc(f->partner, (count ? 2 * count : 1) * sizeof *more);
        if (!more)
            util_die("memory", "exhausted");
        f->partner = more;
    }
    f->partner[count].is_in_set = is_in_set;
    f->partner[count].number = number;
    mpz_init_set(f->partner[count].n, n);
    f->partners++;
}

/* ---- new moduli */

/* The order of partners: moduli of the set first, then new ones, each by number. */
static int compare(const void *u, const void *v) {
    const struct partner *x = u, *y = v;
    if (x->is_in_set != y->is_in_set)
        return x->is_in_set ? -1 : 1;
    return (x->number > y->number) - (x->number < y->number);
}

/* Sorts the partners and removes repeated ones. */
static void sort(struct found *f) {
    size_t count = 0;
    if (f->partners > 0)
        qsort(f->partner, f->partners, sizeof *f->partner, compare);
    for (size_t j = 0; j < f->partners; j++) {
        if (count > 0 && compare(&f->partner[count - 1], &f->partner[j]) == 0)
            mpz_clear(f->partner[j].n);
        else
            f->partner[count++] = f->partner[j];
    }
    f->partners = count;
}

/* Appends n, the modulus of `other`, to the partners of f as a new modulus.  If the set has the
 * moduli of both f and `other`, appends n a second time, as a modulus of the set.  The search in
 * the set may miss n, because its gcd for f is with a product without twins. */
static void append_new(struct found *f, const struct found *other, mpz_srcptr n) {
    append(f, false, other->i, n);
    if (f->same_in_set > 0 && other->same_in_set > 0)
        append(f, true, other->same_in_set, n);
}

static void find_new(void *partners, size_t k) {
    struct partners *p = partners;
    mpz_srcptr here = p->gcd[p->found[k].i];
    mpz_t g;
    mpz_init(g);
    for (size_t j = 0; j < p->count && mpz_cmp_ui(here, 1) > 0; j++) {
        size_t other = p->found[j].i;
        if (j == k || mpz_cmp_ui(p->gcd[other], 1) == 0)
            continue;
        mpz_gcd(g, here, p->gcd[other]);
        if (mpz_cmp_ui(g, 1) > 0)
            append_new(&p->found[k], &p->found[j], p->m->n[other]);
    }
    mpz_clear(g);
    sort(&p->found[k]);
}

/* ---- the set */

/* A group of the set's moduli that is searched for partners of one new modulus. */
struct group {
    struct partners *p;
    mpz_t *n;
    size_t first; /* index of n[0] in the set */
    struct found *found;
    mpz_srcptr shared; /* the gcd of the new modulus and the product of the set */
};

/* Appends to g->found those of the group's moduli n[begin] to n[end - 1] that share a factor
 * with g->shared, except the twin of g->found. */
static void search(const struct group *g, size_t begin, size_t end) {
    mpz_t x;
    mpz_init_set_ui(x, 1);
    for (size_t i = begin; i < end; i++) {
        mpz_mul(x, x, g->n[i]);
        mpz_mod(x, x, g->shared);
    }
    mpz_gcd(x, x, g->shared);
    bool is_shared = mpz_cmp_ui(x, 1) > 0;
    mpz_clear(x);
    if (!is_shared)
        return;
    if (end - begin > 1) {
        search(g, begin, begin + (end - begin) / 2);
        search(g, begin + (end - begin) / 2, end);
        return;
    }
    if (g->first + begin + 1 == g->found->same_in_set)
        return;
    pthread_mutex_lock(&g->p->lock);
    append(g->found, true, g->first + begin + 1, g->n[begin]);
    pthread_mutex_unlock(&g->p->lock);
}

static void search_group(struct partners *p, size_t group, mpz_t *rest) {
    struct group g = {.p = p, .first = group * SET_GROUP};
    size_t count = 0;
    for (size_t k = 0; k < p->searched; k++) {
        mpz_gcd(rest[k], rest[k], p->shared[k]);
        if (mpz_cmp_ui(rest[k], 1) == 0)
            continue;
        if (!g.n)
            g.n = set_group(p->set, group, &count);
        g.found = &p->found[p->of[k]];
        g.shared = p->shared[k];
        search(&g, 0, count);
    }
    util_free_numbers(g.n, count);
}

static void find_in_group(void *partners, size_t group) {
    struct partners *p = partners;
    mpz_t product, *rest = util_numbers(p->searched);
    mpz_init(product);
    set_product(product, p->set, group);
    trees_remainders(rest, p->shared, p->searched, product);
    mpz_clear(product);
    search_group(p, group, rest);
    util_free_numbers(rest, p->searched);
}

static void find_in_set(struct partners *p, mpz_t *shared) {
    p->of = util_alloc(p->count, sizeof *p->of);
    p->shared = util_alloc(p->count, sizeof *p->shared);
    for (size_t k = 0; k < p->count; k++) {
        struct found *f = &p->found[k];
        size_t i = f->i;
        if (f->same_in_set > 0)
            append(f, true, f->same_in_set, p->m->n[i]);
        if (mpz_cmp_ui(shared[i], 1) == 0)
            continue;
        *p->shared[p->searched] = *shared[i];
        p->of[p->searched++] = k;
    }
    if (p->searched > 0)
        util_parallel_for(find_in_group, p, set_groups(p->set));
    free(p->shared);
    free(p->of);
}

void partners_find(struct found *f, size_t count, const struct moduli *m, mpz_t *gcd, mpz_t *shared,
                   const struct set *s) {
    struct partners p = {.found = f, .count = count, .m = m, .set = s, .gcd = gcd};
    pthread_mutex_init(&p.lock, NULL);
    util_progress("partners");
    find_in_set(&p, shared);
    util_parallel_for(find_new, &p, count);
    pthread_mutex_destroy(&p.lock);
}
