/* SPDX-License-Identifier: LGPL-3.0-or-later
 * Tests fractions, in lowest terms or not.  Their denominators may have common factors with each
 * other and with the numerator of their sum. */
#include <stdio.h>

#include "tests/differential/differential.h"

struct operation {
    const char *name;
    void (*apply)(const struct reference *f, mpq_ptr w, mpq_srcptr u, mpq_srcptr v);
    int is_quotient, is_sum;
};

#define OPERATIONS(OP)                                                                             \
    OP(mpq_mul, 0, 0)                                                                              \
    OP(mpq_div, 1, 0)                                                                              \
    OP(mpq_add, 0, 1)                                                                              \
    OP(mpq_sub, 0, 1)

#define APPLY(function, is_quotient, is_sum)                                                       \
    static void apply_##function(const struct reference *f, mpq_ptr w, mpq_srcptr u,               \
                                 mpq_srcptr v) {                                                   \
        f->function(w, u, v);                                                                      \
    }
OPERATIONS(APPLY)

enum { NUMBERS = 3 };

/* Sets x to a random number that is not 0.  It is negative only if may_be_negative is set. */
static void random_part(struct run *run, mpz_ptr x, size_t n, int may_be_negative) {
    do
        run_mpz(run, x, n);
    while (!mpz_sgn(x));
    if (!may_be_negative)
        mpz_abs(x, x);
}

/* Multiplies x by `factor` with GMP's own function. */
static void multiply(struct run *run, mpz_ptr x, mpz_srcptr factor) {
    mpz_t t;
    mpz_srcptr longer = mpz_size(x) < mpz_size(factor) ? factor : x,
               other = longer == x ? factor : x;
    size_t n = mpz_size(x) + mpz_size(factor);
    mpz_init(t);
    run->reference->mpn_mul(mpz_limbs_write(t, (mp_size_t)n), longer->_mp_d,
                            (mp_size_t)mpz_size(longer), other->_mp_d, (mp_size_t)mpz_size(other));
    mpz_limbs_finish(t, mpz_sgn(x) < 0 ? -(mp_size_t)n : (mp_size_t)n);
    mpz_swap(x, t);
    mpz_clear(t);
}

/* Sets x to a random fraction.  The denominator, and sometimes the numerator, is a multiple of
 * `factor`. */
static void random_mpq(struct run *run, mpq_ptr x, size_t most, mpz_srcptr factor) {
    random_part(run, mpq_numref(x), 1 + run_below(run, most), 1);
    random_part(run, mpq_denref(x), 1 + run_below(run, most), 0);
    multiply(run, mpq_denref(x), factor);
    if (run_below(run, 3) == 0)
        multiply(run, mpq_numref(x), factor);
    if (run_below(run, 16) == 0)
        mpq_set_ui(x, 0, 1);
}

static void prepare(struct run *run, mpq_t x[NUMBERS]) {
    mpz_t factor;
    size_t most = 1 + run->most / 8;
    mpz_init_set_ui(factor, 1);
    if (run_below(run, 2))
        random_part(run, factor, 1 + run_below(run, most), 0);
    for (int i = 0; i < NUMBERS; i++) {
        mpq_init(x[i]);
        random_mpq(run, x[i], most, factor);
    }
    mpz_clear(factor);
}

static int same_mpq(mpq_srcptr a, mpq_srcptr b) {
    return same_mpz(mpq_numref(a), mpq_numref(b)) && same_mpz(mpq_denref(a), mpq_denref(b));
}

static int compare(struct run *run, const struct operation *f, mpq_ptr w, mpq_srcptr u,
                   mpq_srcptr v) {
    const struct reference *gmp = run->reference;
    mpq_t wanted;
    gmp->mpz_init_(mpq_numref(wanted));
    gmp->mpz_init_(mpq_denref(wanted));
    f->apply(gmp, wanted, u, v);
    f->apply(&intercepted, w, u, v);
    int good = same_mpq(w, wanted);
    if (!good)
        fprintf(stderr, "differential: %s%s%s: wrong\n", f->name,
                w == u   ? ", to u"
                : w == v ? ", to v"
                         : "",
                u == v ? ", u = v" : "");
    gmp->mpz_clear_(mpq_numref(wanted));
    gmp->mpz_clear_(mpq_denref(wanted));
    return good;
}

static int run_case(struct run *run, const void *how) {
    const struct operation *f = how;
    mpq_t x[NUMBERS];
    prepare(run, x);
    mpq_ptr w = x[run_below(run, NUMBERS)], u = x[run_below(run, NUMBERS)],
            v = x[run_below(run, NUMBERS)];
    if (f->is_quotient && !mpq_sgn(v))
        mpq_set_ui(v, 7, 5);
    run->eligible += f->is_sum || (mpq_sgn(u) && mpq_sgn(v));
    int good = compare(run, f, w, u, v);
    for (int i = 0; i < NUMBERS; i++)
        mpq_clear(x[i]);
    return good;
}

#define CASE(function, is_quotient, is_sum)                                                        \
    {#function, run_case,                                                                          \
     &(const struct operation){#function, apply_##function, is_quotient, is_sum}},
const struct differential_case differential_mpq[] = {OPERATIONS(CASE){NULL, NULL, NULL}};
