/* SPDX-License-Identifier: LGPL-3.0-or-later
 * Tests functions of mpz_t and words.  A table has a row for each function.  numbers_run calls
 * GMP's function and the intercepted one on the operands that the row's `make` sets. */
#ifndef MPGPU_DIFFERENTIAL_NUMBERS_H
#define MPGPU_DIFFERENTIAL_NUMBERS_H

#include "tests/differential/differential.h"

enum { NUMBERS_MOST = 4 };

/* The operands of a call, 0 before `make`.  `make` may let u[k] point to another operand. */
struct numbers {
    mpz_t z[NUMBERS_MOST];
    mpz_ptr u[NUMBERS_MOST]; /* z */
    unsigned long word[2];
    int eligible; /* whether the device must compute at least a part of the call */
    /* if not 0: the device must compute a part of the call if the result has at least this many
     * limbs */
    size_t least;
    int may_be_null; /* whether the call may pass NULL for one result */
};

struct numbers_function {
    const char *name;
    unsigned operands, results;
    void (*make)(struct run *run, struct numbers *x);
    /* Returns the value that the called function returns; 0 if it returns none. */
    long (*apply)(const struct reference *f, mpz_ptr *r, const mpz_ptr *u, const unsigned long *w);
};

/* Runs a case of a table.  Each result is a separate variable, an operand, or NULL if may_be_null.
 * Operands that are no result must not change. */
int numbers_run(struct run *run, const void *function);

/* Macros for a list of cases.  NUMBERS_APPLY defines a case's function apply_FUNCTION, which
 * evaluates the expression.  NUMBERS_CASE is the case's row in the table of differential tests. */
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
