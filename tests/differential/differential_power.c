/* SPDX-License-Identifier: LGPL-3.0-or-later
 * Tests powers with random exponents and bases, whose results are short enough.  Bases are with and
 * without low zero bits. */
#include "tests/differential/differential_numbers.h"

/* Sets b to a number of up to `most` + 3 limbs, often of one limb or less. */
static void random_base(struct run *run, mpz_ptr b, size_t most) {
    size_t n = run_below(run, 3) ? 1 + run_below(run, most) : 1;
    run_mpz(run, b, n);
    if (run_below(run, 3) == 0)
        mpz_tdiv_q_2exp(b, b, run_below(run, n * GMP_NUMB_BITS));
    if (run_below(run, 3) == 0)
        mpz_mul_2exp(b, b, run_below(run, 3 * GMP_NUMB_BITS));
}

/* Returns true if the device computes b^e.  The result must have at least three limbs, as
 * estimated from the bits of b (compat/mpz/mpz_pow.c).  b must not be a power of two, because
 * such a power is only shifted. */
static int is_eligible(mpz_srcptr b, unsigned long e) {
    return mpz_sgn(b) && mpn_popcount(mpz_limbs_read(b), (mp_size_t)mpz_size(b)) > 1 && e > 1 &&
           mpz_sizeinbase(b, 2) * e / GMP_NUMB_BITS >= 3;
}

static void make(struct run *run, struct numbers *x) {
    mpz_ptr b = x->u[0];
    random_base(run, b, 1 + run->most / 8);
    size_t bits = mpz_sizeinbase(b, 2), most = run->most * GMP_NUMB_BITS;
    x->word[0] = run_below(run, most / bits + 2) >> run_below(run, 10);
    x->eligible = is_eligible(b, x->word[0]);
}

static void make_words(struct run *run, struct numbers *x) {
    make(run, x);
    x->word[1] = mpz_get_ui(x->u[0]);
    mpz_set_ui(x->u[0], x->word[1]);
    x->eligible = is_eligible(x->u[0], x->word[0]);
}

#define FUNCTIONS(X)                                                                               \
    X(mpz_pow_ui, 1, 1, make, (f->mpz_pow_ui(r[0], u[0], w[0]), 0))                                \
    X(mpz_ui_pow_ui, 0, 1, make_words, (f->mpz_ui_pow_ui(r[0], w[1], w[0]), 0))
FUNCTIONS(NUMBERS_APPLY)
const struct differential_case differential_power[] = {FUNCTIONS(NUMBERS_CASE){NULL, NULL, NULL}};
