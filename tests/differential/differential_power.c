/* SPDX-License-Identifier: LGPL-3.0-or-later
 * Powers: bases of every size that the exponents 0, 1, 2 and so on leave room for, with
 * zeros at their bottom or none. */
#include <stdio.h>

#include "tests/differential/differential.h"

struct power {
    mpz_t w, b;
    unsigned long e;
};

/* A base of up to `most` limbs, often of one, and less. */
static void random_base(struct run *run, mpz_ptr b, size_t most) {
    size_t n = run_below(run, 3) ? 1 + run_below(run, most) : 1;
    run_mpz(run, b, n);
    if (run_below(run, 3) == 0)
        mpz_tdiv_q_2exp(b, b, run_below(run, n * GMP_NUMB_BITS));
    if (run_below(run, 3) == 0)
        mpz_mul_2exp(b, b, run_below(run, 3 * GMP_NUMB_BITS));
}

static void prepare(struct run *run, struct power *p) {
    mpz_inits(p->w, p->b, NULL);
    random_base(run, p->b, 1 + run->most / 8);
    size_t bits = mpz_sizeinbase(p->b, 2), most = run->most * GMP_NUMB_BITS;
    p->e = run_below(run, most / bits + 2) >> run_below(run, 10);
    if (run_below(run, 2))
        run_mpz(run, p->w, 1 + run_below(run, run->most));
}

/* Whether the result has three limbs by the count of compat/mpz/mpz_pow.c, and takes products: a
 * power of two is shifted. */
static int is_eligible(const struct power *p) {
    return mpz_sgn(p->b) && mpn_popcount(mpz_limbs_read(p->b), (mp_size_t)mpz_size(p->b)) > 1 &&
           p->e > 1 && mpz_sizeinbase(p->b, 2) * p->e / GMP_NUMB_BITS >= 3;
}

static int judge(const struct power *p, const char *function, mpz_srcptr w, mpz_srcptr wanted) {
    int good = same_mpz(w, wanted);
    if (!good)
        gmp_fprintf(stderr, "differential: %s, %zu limbs, exponent %lu: wrong\n", function,
                    mpz_size(p->b), p->e);
    return good;
}

static int run_pow_ui(struct run *run, const void *how) {
    struct power p;
    mpz_t wanted;
    prepare(run, &p);
    run->reference->mpz_init_(wanted);
    run->reference->mpz_pow_ui(wanted, p.b, p.e);
    run->eligible += is_eligible(&p) != 0;
    mpz_ptr w = run_below(run, 2) ? p.w : p.b;
    mpz_pow_ui(w, p.b, p.e);
    int good = judge(&p, how, w, wanted);
    run->reference->mpz_clear_(wanted);
    mpz_clears(p.w, p.b, NULL);
    return good;
}

static int run_ui_pow_ui(struct run *run, const void *how) {
    struct power p;
    mpz_t wanted;
    prepare(run, &p);
    mpz_set_ui(p.b, mpz_get_ui(p.b));
    run->reference->mpz_init_(wanted);
    run->reference->mpz_ui_pow_ui(wanted, mpz_get_ui(p.b), p.e);
    run->eligible += is_eligible(&p) != 0;
    mpz_ui_pow_ui(p.w, mpz_get_ui(p.b), p.e);
    int good = judge(&p, how, p.w, wanted);
    run->reference->mpz_clear_(wanted);
    mpz_clears(p.w, p.b, NULL);
    return good;
}

const struct differential_case differential_power[] = {
    {"mpz_pow_ui", run_pow_ui, "mpz_pow_ui"},
    {"mpz_ui_pow_ui", run_ui_pow_ui, "mpz_ui_pow_ui"},
    {NULL, NULL, NULL},
};
