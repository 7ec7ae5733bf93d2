/* SPDX-License-Identifier: LGPL-3.0-or-later
 * Tests Fibonacci and Lucas numbers, alone and with their predecessors. */
#include "tests/differential/differential_numbers.h"

/* F[n] has 0.694 n bits, so 92 indices add a limb.  If F[n] has at least four limbs, the library
 * computes it as a composite operation of products. */
enum { LIMB_INDICES = 92, LEAST = 4 * LIMB_INDICES };

static void make(struct run *run, struct numbers *x) {
    x->word[0] = run_below(run, run->most * LIMB_INDICES) >> run_below(run, 12);
    x->eligible = x->word[0] >= LEAST;
}

#define FUNCTIONS(X)                                                                               \
    X(mpz_fib_ui, 0, 1, make, (f->mpz_fib_ui(r[0], w[0]), 0))                                      \
    X(mpz_fib2_ui, 0, 2, make, (f->mpz_fib2_ui(r[0], r[1], w[0]), 0))                              \
    X(mpz_lucnum_ui, 0, 1, make, (f->mpz_lucnum_ui(r[0], w[0]), 0))                                \
    X(mpz_lucnum2_ui, 0, 2, make, (f->mpz_lucnum2_ui(r[0], r[1], w[0]), 0))
FUNCTIONS(NUMBERS_APPLY)
const struct differential_case differential_fib[] = {FUNCTIONS(NUMBERS_CASE){NULL, NULL, NULL}};
