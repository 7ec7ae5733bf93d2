/* SPDX-License-Identifier: LGPL-3.0-or-later
 * Tests mpn_gcd, mpn_gcdext and Jacobi's symbol, with the operands of the gcd tests. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "tests/differential/differential_numbers.h"

/* Operands and results of a call.  GMP and the library get separate copies, because the calls
 * destroy their operands. */
struct limbs {
    size_t un, vn;
    mp_ptr u, v, g, s;
    mp_size_t gn, sn;
};

/* Sets u to an odd multiple of a random number g, and v to g or 2 g.  In these cases the bounds
 * on mpn_gcdext's cofactor permit only one value. */
static void make_close(struct run *run, mpz_ptr u, mpz_ptr v) {
    const struct reference *gmp = run->reference;
    mpz_t g;
    gmp->mpz_init_(g);
    gmp->mpz_set_(g, v);
    gmp->mpz_mul_ui(g, g, 2 * run_below(run, 1000) + 1);
    mpz_set(u, g);
    gmp->mpz_mul_ui(g, v, 1 + run_below(run, 2));
    mpz_set(v, g);
    gmp->mpz_clear_(g);
}

/* Sets u and v for mpn_gcd: the number with more limbs first, and at least one of them odd. */
static void make(struct run *run, mpz_ptr u, mpz_ptr v, int *eligible) {
    *eligible = run_gcd_operands(run, u, v);
    u->_mp_size = (int)mpz_size(u);
    v->_mp_size = (int)mpz_size(v);
    if (mpz_sgn(u) == 0)
        mpz_set_ui(u, 1);
    if (mpz_sgn(v) == 0)
        mpz_set_ui(v, 1);
    if (run_below(run, 8) == 0) {
        mpz_setbit(v, 0);
        make_close(run, u, v);
        *eligible = 0;
    }
    if (mpz_size(u) < mpz_size(v))
        mpz_swap(u, v);
    if (mpz_even_p(u) && mpz_even_p(v))
        mpz_setbit(v, 0);
}

static struct limbs set(mpz_srcptr u, mpz_srcptr v) {
    struct limbs l = {.un = mpz_size(u), .vn = mpz_size(v)};
    size_t all = 2 * l.un + 3 * l.vn + 8;
    l.u = run_room(all * sizeof *l.u);
    memset(l.u, 0, all * sizeof *l.u);
    l.v = l.u + l.un + 1;
    l.g = l.v + l.vn + 1;
    l.s = l.g + l.vn + 1;
    memcpy(l.u, mpz_limbs_read(u), l.un * sizeof *l.u);
    memcpy(l.v, mpz_limbs_read(v), l.vn * sizeof *l.v);
    return l;
}

static size_t magnitude(mp_size_t n) {
    return (size_t)(n < 0 ? -n : n);
}

static void apply(const struct reference *f, struct limbs *l, int extended) {
    mp_size_t un = (mp_size_t)l->un, vn = (mp_size_t)l->vn;
    if (extended)
        l->gn = f->mpn_gcdext(l->g, l->s, &l->sn, l->u, un, l->v, vn);
    else
        l->gn = f->mpn_gcd(l->g, l->u, un, l->v, vn);
}

/* Compares a gcd with GMP's.  Sometimes mpn_gcd's result is written over the second operand; GMP
 * permits no other overlap. */
static int compare(struct run *run, mpz_srcptr u, mpz_srcptr v, int extended) {
    struct limbs wanted = set(u, v), own = set(u, v);
    if (run_below(run, 3) == 0 && !extended)
        own.g = own.v;
    apply(run->reference, &wanted, extended);
    apply(&intercepted, &own, extended);
    int good = own.gn == wanted.gn && same_limbs(own.g, wanted.g, (size_t)wanted.gn) &&
               own.sn == wanted.sn && same_limbs(own.s, wanted.s, magnitude(wanted.sn));
    free(wanted.u);
    free(own.u);
    return good;
}

/* Tests mpn_gcd, or mpn_gcdext with a cofactor if `how` is not NULL. */
static int run_limbs_gcd(struct run *run, const void *how) {
    mpz_t u, v;
    int has_products;
    mpz_inits(u, v, NULL);
    make(run, u, v, &has_products);
    run->eligible += has_products;
    int good = compare(run, u, v, how != NULL);
    if (!good)
        fprintf(stderr, "differential: %s of %zu and %zu limbs: wrong\n",
                how ? "mpn_gcdext" : "mpn_gcd", mpz_size(u), mpz_size(v));
    mpz_clears(u, v, NULL);
    return good;
}

static void make_symbol(struct run *run, struct numbers *x) {
    const int has_products = run_gcd_operands(run, x->u[0], x->u[1]);
    run_signs(run, x->u[0], x->u[1]);
    if (run_below(run, 16) == 0)
        x->u[1] = x->u[0];
    x->eligible = has_products && x->u[1] != x->u[0] && (mpz_odd_p(x->u[0]) || mpz_odd_p(x->u[1]));
}

#define FUNCTIONS(X) X(mpz_jacobi, 2, 0, make_symbol, f->mpz_jacobi(u[0], u[1]))
FUNCTIONS(NUMBERS_APPLY)
const struct differential_case differential_gcd_limbs[] = {
    {"mpn_gcd", run_limbs_gcd, NULL},
    {"mpn_gcdext", run_limbs_gcd, "with the cofactor"},
    FUNCTIONS(NUMBERS_CASE){NULL, NULL, NULL},
};
