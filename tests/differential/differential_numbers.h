/* SPDX-License-Identifier: LGPL-3.0-or-later
 * For functions of mpz_t and words: one runner, which calls GMP's function and the intercepted one
 * on the operands that a table's row makes. */
#ifndef MPGPU_DIFFERENTIAL_NUMBERS_H
#define MPGPU_DIFFERENTIAL_NUMBERS_H

#include "tests/differential/differential.h"

enum { NUMBERS_MOST = 4 };

/* Operands, 0 before make.  make may let u[k] be another operand. */
struct numbers {
    mpz_t z[NUMBERS_MOST];
    mpz_ptr u[NUMBERS_MOST]; /* z */
    unsigned long word[2];
    int eligible;    /* does a device compute something? */
    size_t least;    /* not 0: it does if the result has at least these limbs */
    int may_be_null; /* may one result be left out? */
};

struct numbers_function {
    const char *name;
    unsigned operands, results;
    void (*make)(struct run *run, struct numbers *x);
    /* Returns what f's function returns, or 0. */
    long (*apply)(const struct reference *f, mpz_ptr *r, const mpz_ptr *u, const unsigned long *w);
};

/* A case of a table, with a numbers_function.  Each result is a separate variable with an old
 * value, or an operand.  Other operands must not change. */
int numbers_run(struct run *run, const void *function);

/* X(function, operands, results, make, expression): defines apply_FUNCTION, and its case. */
#define NUMBERS_APPLY(function, operands, results, make, expression)                               \
    static long apply_##function(const struct reference *f, mpz_ptr *r, const mpz_ptr *u,          \
                                 const unsigned long *w) {                                         \
        (void)r, (void)u, (void)w;                                                                 \
        return expression;                                                                         \
    }
#define NUMBERS_CASE(function, operands, results, make, expression)                                \
    {#function, numbers_run,                                                                       \
     &(const struct numbers_function){#function, operands, results, make, apply_##function}},

#endif
