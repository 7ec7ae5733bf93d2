/* SPDX-License-Identifier: LGPL-3.0-or-later
 * Fibonacci and Lucas numbers, one or two neighbours. */
#include "tests/differential/differential.h"

/* F[n] has 0.694 n bits; from four limbs on its last product is a composite operation's. */
enum { LIMB_INDICES = 92, LEAST = 4 * LIMB_INDICES };

struct sequence {
    const char *name;
    void (*apply)(const struct reference *f, mpz_ptr r, mpz_ptr s, unsigned long n);
};

static void fib(const struct reference *f, mpz_ptr r, mpz_ptr s, unsigned long n) {
    (void)s;
    f->mpz_fib_ui(r, n);
}

static void fib2(const struct reference *f, mpz_ptr r, mpz_ptr s, unsigned long n) {
    f->mpz_fib2_ui(r, s, n);
}

static void lucnum(const struct reference *f, mpz_ptr r, mpz_ptr s, unsigned long n) {
    (void)s;
    f->mpz_lucnum_ui(r, n);
}

static void lucnum2(const struct reference *f, mpz_ptr r, mpz_ptr s, unsigned long n) {
    f->mpz_lucnum2_ui(r, s, n);
}

static int run_case(struct run *run, const void *how) {
    const struct sequence *f = how;
    const struct reference *gmp = run->reference;
    unsigned long n = run_below(run, run->most * LIMB_INDICES) >> run_below(run, 12);
    mpz_t r, s, right_r, right_s;
    mpz_inits(r, s, NULL);
    gmp->mpz_init_(right_r);
    gmp->mpz_init_(right_s);
    f->apply(gmp, right_r, right_s, n);
    run->eligible += n >= LEAST;
    f->apply(&intercepted, r, s, n);
    int good = same_mpz(r, right_r) && same_mpz(s, right_s);
    if (!good)
        fprintf(stderr, "differential: %s(%lu): wrong\n", f->name, n);
    mpz_clears(r, s, NULL);
    gmp->mpz_clear_(right_r);
    gmp->mpz_clear_(right_s);
    return good;
}

#define CASE(function, apply)                                                                      \
    {                                                                                              \
#function, run_case, &(const struct sequence) {                                            \
#function, apply                                                                       \
        }                                                                                          \
    }

const struct differential_case differential_fib[] = {
    CASE(mpz_fib_ui, fib),         CASE(mpz_fib2_ui, fib2), CASE(mpz_lucnum_ui, lucnum),
    CASE(mpz_lucnum2_ui, lucnum2), {NULL, NULL, NULL},
};
