/* SPDX-License-Identifier: LGPL-3.0-or-later
 * Finds twins by the lowest limb of each modulus. */
#include "examples/batch-gcd/twins.h"

#include <stdlib.h>

#include "examples/batch-gcd/util.h"

struct search {
    struct twins twins;
    const struct set *set;
};

static int by_limb(const void *u, const void *v) {
    mp_limb_t x = mpz_getlimbn(((const struct twin *)u)->n, 0);
    mp_limb_t y = mpz_getlimbn(((const struct twin *)v)->n, 0);
    return (x > y) - (x < y);
}

static int by_number(const void *u, const void *v) {
    const struct twin *x = u, *y = v;
    size_t i = x->number == y->number ? x->i : x->number;
    size_t j = x->number == y->number ? y->i : y->number;
    return (i > j) - (i < j);
}

/* Returns the index of the first twin whose lowest limb is not below that of n. */
static size_t first_of(const struct twins *t, mpz_srcptr n) {
    size_t low = 0, high = t->count;
    const struct twin wanted = {.n = n};
    while (low < high) {
        size_t middle = low + (high - low) / 2;
        if (by_limb(&t->twin[middle], &wanted) < 0)
            low = middle + 1;
        else
            high = middle;
    }
    return low;
}

/* Finds the twins in one group of the set.  Several threads may run this function, each for another
 * group, because they write to different twins. */
static void search_group(void *search, size_t group) {
    struct search *s = search;
    struct twins *t = &s->twins;
    size_t count;
    mpz_t *n = set_group(s->set, group, &count);
    for (size_t j = 0; j < count; j++) {
        const struct twin key = {.n = n[j]};
        for (size_t k = first_of(t, n[j]); k < t->count && by_limb(&t->twin[k], &key) == 0; k++)
            if (mpz_cmp(t->twin[k].n, n[j]) == 0)
                t->twin[k].number = group * SET_GROUP + j + 1;
    }
    util_free_numbers(n, count);
}

struct twins twins_find(const struct moduli *m, const size_t *i, size_t count,
                        const struct set *s) {
    struct search x = {.twins = {util_alloc(count, sizeof(struct twin)), count}, .set = s};
    struct twins *t = &x.twins;
    if (count == 0)
        return *t;
    for (size_t k = 0; k < count; k++)
        t->twin[k] = (struct twin){m->n[i[k]], i[k], 0};
    qsort(t->twin, count, sizeof *t->twin, by_limb);
    util_parallel_for(search_group, &x, set_groups(s));
    t->count = 0;
    for (size_t k = 0; k < count; k++)
        if (t->twin[k].number > 0)
            t->twin[t->count++] = t->twin[k];
    qsort(t->twin, t->count, sizeof *t->twin, by_number);
    return *t;
}

void twins_free(struct twins *t) {
    free(t->twin);
}

void twins_divide(mpz_ptr product, const struct twins *t, size_t group) {
    size_t k = 0, high = t->count;
    mpz_t divisor;
    while (k < high) { /* find the first twin whose number is above group * SET_GROUP */
        size_t middle = k + (high - k) / 2;
        if (t->twin[middle].number <= group * SET_GROUP)
            k = middle + 1;
        else
            high = middle;
    }
    mpz_init_set_ui(divisor, 1);
    for (size_t last = 0; k < t->count && t->twin[k].number <= (group + 1) * SET_GROUP; k++) {
        /* several twins may equal the same modulus of the set: divides by it once */
        if (t->twin[k].number != last)
            mpz_mul(divisor, divisor, t->twin[k].n);
        last = t->twin[k].number;
    }
    mpz_divexact(product, product, divisor);
    mpz_clear(divisor);
}
