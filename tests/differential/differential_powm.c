/* SPDX-License-Identifier: LGPL-3.0-or-later
 * Tests powers modulo odd and even numbers of either sign, powers of 2 and their neighbours.  Other
 * moduli are k 2^e - 1 and k 2^e + 1, which need no reciprocal (lib/calc/calc_form.h).  Bases are
 * shorter and longer than the modulus; exponents have few and many bits. */
#include "tests/differential/differential_numbers.h"

/* Limits the sizes, because the time of GMP's own functions grows with their third power. */
enum { MOST_LIMBS = 40, MOST_EXPONENT = 3 };

/* Sets m to k 2^e - 1 or k 2^e + 1, where k has up to 33 bits and e is at most 64 mn. The base
 * is below m, close to it or above it. */
static void make_form(struct run *run, mpz_ptr b, mpz_ptr m, size_t mn) {
    mpz_set_ui(m, run_below(run, 2) ? 1 : run_below(run, 1ul << (1 + run_below(run, 33))) | 1);
    mpz_mul_2exp(m, m, 1 + run_below(run, mn * GMP_NUMB_BITS));
    if (run_below(run, 2))
        mpz_add_ui(m, m, 1);
    else
        mpz_sub_ui(m, m, 1);
    if (run_below(run, 3) == 0) {
        mpz_add_ui(b, m, run_below(run, 4));
        mpz_sub_ui(b, b, 2);
    }
}

/* Sets the base b, the modulus m and the exponent e; make_word replaces e by word[0].  The
 * device computes products if m has at least two limbs, the exponent is more than 1 and b is not
 * 0. */
static void make(struct run *run, struct numbers *x) {
    mpz_ptr b = x->u[0], m = x->u[1], e = x->u[2];
    size_t mn = 1 + run_below(run, MOST_LIMBS);
    run_mpz(run, b, 1 + run_below(run, run_below(run, 2) ? 3 : 3 * MOST_LIMBS));
    run_mpz(run, e, 1 + run_below(run, MOST_EXPONENT));
    e->_mp_size = (int)mpz_size(e);
    do {
        const size_t kind = run_below(run, 8);
        if (kind < 4)
            run_mpz(run, m, mn);
        else if (kind < 6)
            make_form(run, b, m, mn);
        else
            mpz_setbit(m, run_below(run, mn * GMP_NUMB_BITS));
    } while (mpz_sgn(m) == 0);
    x->eligible = mpz_size(m) >= 2 && mpz_sgn(b) && mpz_cmp_ui(e, 1) > 0;
}

static void make_word(struct run *run, struct numbers *x) {
    static const unsigned long words[] = {0, 1, 2, 3, 7, 65537, ~0ul};
    make(run, x);
    x->word[0] = words[run_below(run, sizeof words / sizeof *words)];
    x->eligible = mpz_size(x->u[1]) >= 2 && mpz_sgn(x->u[0]) && x->word[0] > 1;
}

#define FUNCTIONS(X)                                                                               \
    X(mpz_powm, 3, 1, make, (f->mpz_powm(r[0], u[0], u[2], u[1]), 0))                              \
    X(mpz_powm_ui, 2, 1, make_word, (f->mpz_powm_ui(r[0], u[0], w[0], u[1]), 0))
FUNCTIONS(NUMBERS_APPLY)
const struct differential_case differential_powm[] = {FUNCTIONS(NUMBERS_CASE){NULL, NULL, NULL}};
