/* SPDX-License-Identifier: LGPL-3.0-or-later
 * Powers modulo: odd and even moduli of either sign, powers of 2 and what lies beside
 * them, bases shorter and longer than the modulus, exponents of few and many bits. */
#include <stdio.h>

#include "tests/differential/differential.h"

/* GMP's own functions take a time that grows with the third power of the size. */
enum { MOST_LIMBS = 40, MOST_EXPONENT = 3 };

enum alias { OWN, BASE, EXPONENT, MODULUS, ALIASES };

struct operands {
    mpz_t r, b, e, m;
    unsigned long word; /* the exponent of mpz_powm_ui */
};

static void make(struct run *run, struct operands *o) {
    static const unsigned long words[] = {0, 1, 2, 3, 7, 65537, ~0ul};
    size_t mn = 1 + run_below(run, MOST_LIMBS);
    mpz_inits(o->r, o->b, o->e, o->m, NULL);
    run_mpz(run, o->b, 1 + run_below(run, run_below(run, 2) ? 3 : 3 * MOST_LIMBS));
    run_mpz(run, o->e, 1 + run_below(run, MOST_EXPONENT));
    o->e->_mp_size = (int)mpz_size(o->e);
    do {
        if (run_below(run, 4))
            run_mpz(run, o->m, mn);
        else
            mpz_setbit(o->m, run_below(run, mn * GMP_NUMB_BITS));
    } while (mpz_sgn(o->m) == 0);
    o->word = words[run_below(run, sizeof words / sizeof *words)];
}

/* By products: the modulus not too short, the exponent more than 1, the base not 0. */
static int is_eligible(const struct operands *o, int ui) {
    return mpz_size(o->m) >= 2 && mpz_sgn(o->b) && (ui ? o->word > 1 : mpz_cmp_ui(o->e, 1) > 0);
}

static void apply(const struct reference *f, mpz_ptr r, const struct operands *o, int ui) {
    if (ui)
        f->mpz_powm_ui(r, o->b, o->word, o->m);
    else
        f->mpz_powm(r, o->b, o->e, o->m);
}

static int run_powm(struct run *run, const void *how) {
    struct operands o;
    mpz_t wanted;
    int ui = how != NULL;
    make(run, &o);
    mpz_ptr places[ALIASES] = {o.r, o.b, o.e, o.m}, r = places[run_below(run, ALIASES)];
    size_t bn = mpz_size(o.b), en = mpz_size(o.e), mn = mpz_size(o.m);
    run->reference->mpz_init_(wanted);
    apply(run->reference, wanted, &o, ui);
    run->eligible += is_eligible(&o, ui) != 0;
    apply(&intercepted, r, &o, ui);
    int good = same_mpz(r, wanted);
    if (!good)
        fprintf(stderr, "differential: power of %zu limbs, exponent of %zu (or %lu), modulo %zu\n",
                bn, en, o.word, mn);
    run->reference->mpz_clear_(wanted);
    mpz_clears(o.r, o.b, o.e, o.m, NULL);
    return good;
}

const struct differential_case differential_powm[] = {
    {"mpz_powm", run_powm, NULL},
    {"mpz_powm_ui", run_powm, ""},
    {NULL, NULL, NULL},
};
