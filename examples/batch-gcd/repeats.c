/* SPDX-License-Identifier: LGPL-3.0-or-later
 * Sorts the moduli to find equal ones. */
#include "examples/batch-gcd/repeats.h"

#include <stdlib.h>

#include "examples/batch-gcd/util.h"

struct place {
    mpz_srcptr n;
    size_t i;
};

static int compare(const void *u, const void *v) {
    const struct place *x = u, *y = v;
    int order = mpz_cmp(x->n, y->n);
    return order ? order : (x->i > y->i) - (x->i < y->i);
}

static void mark(bool *is_known, const struct moduli *m) {
    struct place *p = util_alloc(m->count, sizeof *p);
    for (size_t i = 0; i < m->count; i++)
        p[i] = (struct place){m->n[i], i};
    qsort(p, m->count, sizeof *p, compare);
    for (size_t k = 1; k < m->count; k++)
        is_known[p[k].i] = mpz_cmp(p[k - 1].n, p[k].n) == 0;
    free(p);
}

mpz_t *repeats_without(const struct moduli *m, const struct found *f, size_t found, size_t *count) {
    bool *is_known = util_alloc(m->count, sizeof *is_known);
    mpz_t *n = util_alloc(m->count, sizeof *n);
    mark(is_known, m);
    for (size_t k = 0; k < found; k++)
        is_known[f[k].i] |= f[k].same_in_set > 0;
    *count = 0;
    for (size_t i = 0; i < m->count; i++)
        if (!is_known[i])
            *n[(*count)++] = *m->n[i];
    free(is_known);
    return n;
}
