/* SPDX-License-Identifier: LGPL-3.0-or-later
 * Tests factorials, primorials and binomials: small and larger arguments at random.  For
 * binomials n is a word, a long number, or negative, and either n - k or k is small. */
#include "tests/differential/differential_numbers.h"

/* At or above this many limbs of the result, the computation has products that the device can
 * compute. */
enum { LEAST = 80 };

static void make_word(struct run *run, struct numbers *x) {
    x->word[0] = run_below(run, run->most * 12) >> run_below(run, 12);
    x->word[1] = run_below(run, 9);
    x->least = LEAST;
}

/* Sets the operands of a binomial; limits k, so that the result is not too long. */
static void make_binomial(struct run *run, struct numbers *x) {
    x->least = LEAST;
    x->word[1] = run_below(run, run->most * 6) >> run_below(run, 10);
    switch (run_below(run, 4)) {
    case 0:
        x->word[0] = run_below(run, x->word[1] + 2);
        break;
    case 1:
        x->word[0] = x->word[1] + run_below(run, 4 * x->word[1] + 2);
        break;
    case 2:
        x->word[0] = x->word[1] + (run_below(run, 1000) * x->word[1]);
        break;
    default:
        x->word[0] = run_bits(run) >> run_below(run, 60);
        x->word[1] = run_below(run, run->most);
    }
    if (run_below(run, 2) && x->word[1] <= x->word[0] && x->word[0] < (unsigned long)-1 / 2)
        x->word[1] = x->word[0] - x->word[1];
    if (x->word[1] > run->most * 30)
        x->word[1] %= run->most;
}

static void make_number(struct run *run, struct numbers *x) {
    make_binomial(run, x);
    if (run_below(run, 2)) {
        run_mpz(run, x->u[0], 1 + run_below(run, 4));
        x->word[1] %= run->most;
    } else {
        mpz_set_ui(x->u[0], x->word[0]);
        if (run_below(run, 3) == 0)
            x->u[0]->_mp_size = -x->u[0]->_mp_size;
    }
}

/* The second argument of mpz_mfac_uiui is at least 1, because GMP's function does not end for 0. */
#define FUNCTIONS(X)                                                                               \
    X(mpz_fac_ui, 0, 1, make_word, (f->mpz_fac_ui(r[0], w[0]), 0))                                 \
    X(mpz_2fac_ui, 0, 1, make_word, (f->mpz_2fac_ui(r[0], w[0]), 0))                               \
    X(mpz_mfac_uiui, 0, 1, make_word, (f->mpz_mfac_uiui(r[0], w[0], 1 + w[1]), 0))                 \
    X(mpz_primorial_ui, 0, 1, make_word, (f->mpz_primorial_ui(r[0], 4 * w[0]), 0))                 \
    X(mpz_bin_uiui, 0, 1, make_binomial, (f->mpz_bin_uiui(r[0], w[0], w[1]), 0))                   \
    X(mpz_bin_ui, 1, 1, make_number, (f->mpz_bin_ui(r[0], u[0], w[1]), 0))
FUNCTIONS(NUMBERS_APPLY)
const struct differential_case differential_fac[] = {FUNCTIONS(NUMBERS_CASE){NULL, NULL, NULL}};
