/* SPDX-License-Identifier: LGPL-3.0-or-later
 * Finds common factors: computes the gcd of each modulus and the product of all other moduli. If
 * both primes of a modulus occur in other moduli, or the modulus occurs twice, this gcd is the
 * modulus itself. Such a modulus is compared with the other moduli that have common factors, one
 * by one. */
#include "examples/batch-gcd/factors.h"

#include <stdlib.h>
#include <string.h>

#include "examples/batch-gcd/crew.h"
#include "examples/batch-gcd/trees.h"

struct search {
    const struct moduli *m;
    mpz_t *gcd;
    struct found *found;
    size_t count;
};

static void one_gcd(void *search, size_t i) {
    struct search *s = search;
    mpz_gcd(s->gcd[i], s->gcd[i], s->m->n[i]);
}

static void split(void *search, size_t k) {
    struct search *s = search;
    struct found *f = &s->found[k];
    mpz_srcptr n = s->m->n[f->i];
    mpz_t g;
    if (mpz_cmp(f->factor, n) != 0)
        return;
    mpz_init(g);
    for (size_t j = 0; j < s->count; j++) {
        mpz_srcptr other = s->m->n[s->found[j].i];
        if (j == k)
            continue;
        if (mpz_cmp(other, n) == 0) {
            if (f->same_as == f->i)
                f->same_as = s->found[j].i;
            continue;
        }
        mpz_gcd(g, n, other);
        if (mpz_cmp_ui(g, 1) > 0 && mpz_cmp(g, n) < 0 && mpz_cmp(f->factor, n) == 0)
            mpz_set(f->factor, g);
    }
    mpz_clear(g);
}

struct found *factors_find(const struct moduli *m, bool by_gmp, size_t *count) {
    struct search s = {m, crew_numbers(m->count), NULL, 0};
    *count = 0;
    if (m->count > 0)
        (by_gmp ? trees_by_gmp : trees_by_device)(s.gcd, m->n, m->count);
    crew_progress("gcds");
    crew_work(one_gcd, &s, m->count);
    for (size_t i = 0; i < m->count; i++)
        s.count += mpz_cmp_ui(s.gcd[i], 1) != 0;
    s.found = crew_alloc(s.count, sizeof *s.found);
    for (size_t i = 0; i < m->count; i++)
        if (mpz_cmp_ui(s.gcd[i], 1) != 0) {
            struct found *f = &s.found[(*count)++];
            f->i = f->same_as = i;
            mpz_init_set(f->factor, s.gcd[i]);
        }
    crew_work(split, &s, s.count);
    crew_free_numbers(s.gcd, m->count);
    crew_progress("");
    return s.found;
}

void factors_free(struct found *f, size_t count) {
    for (size_t k = 0; k < count; k++)
        mpz_clear(f[k].factor);
    free(f);
}
