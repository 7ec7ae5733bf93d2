/* SPDX-License-Identifier: LGPL-3.0-or-later
 * Higher roots: of powers, of 1 less and 1 more, of any number of either sign, in every
 * place. */
#include "tests/differential/differential.h"

/* Bits of a root that is not GMP's. */
enum { LEAST_BITS = 256, LEAST = 17 };

/* About `limbs` limbs; by GMP's own functions. */
static void make(struct run *run, mpz_ptr u, unsigned long n, size_t limbs) {
    const struct reference *gmp = run->reference;
    mpz_t power;
    size_t kind = run_below(run, 4);
    run_mpz(run, u, kind ? 1 + limbs / n : limbs);
    if (n % 2 == 0)
        u->_mp_size = (int)mpz_size(u);
    if (!kind)
        return;
    gmp->mpz_init_(power);
    gmp->mpz_pow_ui(power, u, n);
    if (kind == 1)
        gmp->mpz_add_ui(power, power, 1);
    else if (kind == 2 && mpz_sgn(power) > 0)
        gmp->mpz_sub_ui(power, power, 1);
    mpz_set(u, power);
    gmp->mpz_clear_(power);
}

static int is_eligible(mpz_srcptr u, unsigned long n) {
    return n > 2 && mpz_size(u) >= LEAST && (mpz_size(u) - 1) * GMP_NUMB_BITS / n >= LEAST_BITS;
}

static int run_root(struct run *run, const void *how) {
    const struct reference *gmp = run->reference;
    int with_rest = how != NULL, exact = 0;
    unsigned long n = run_below(run, 4) ? 2 + run_below(run, 5) : 1 + run_below(run, 400);
    mpz_t u, own, other, root, rest;
    mpz_inits(u, own, other, NULL);
    gmp->mpz_init_(root);
    gmp->mpz_init_(rest);
    make(run, u, n, 1 + run_below(run, run->most));
    size_t un = mpz_size(u), place = run_below(run, 3);
    mpz_ptr r = place == 1 ? u : own, rem = place == 2 ? u : other;
    gmp->mpz_rootrem(root, rest, u, n);
    run->eligible += is_eligible(u, n);
    if (with_rest)
        intercepted.mpz_rootrem(r, rem, u, n);
    else
        exact = intercepted.mpz_root(r, u, n);
    int good = same_mpz(r, root) &&
               (with_rest ? same_mpz(rem, rest) : (exact != 0) == (mpz_sgn(rest) == 0));
    if (!good)
        fprintf(stderr, "differential: root %lu of %zu limbs in place %zu: wrong\n", n, un, place);
    gmp->mpz_clear_(root);
    gmp->mpz_clear_(rest);
    mpz_clears(u, own, other, NULL);
    return good;
}

const struct differential_case differential_root[] = {
    {"mpz_root", run_root, NULL},
    {"mpz_rootrem", run_root, ""},
    {NULL, NULL, NULL},
};
