/* SPDX-License-Identifier: LGPL-3.0-or-later
 * Cases of every operation in lib/job/ops.def, built from the operation's shape there, for tests
 * over the whole list. */
#ifndef MPGPU_TEST_JOB_CASES_H
#define MPGPU_TEST_JOB_CASES_H

#include "compat/batch/task.h"

/* Bits of a variant; bits that do not apply to an operation have no effect. */
enum {
    JOB_CASE_SAME = 1,      /* the second operand is the first */
    JOB_CASE_IN_PLACE = 2,  /* the first result is an operand */
    JOB_CASE_FOR_ALL = 4,   /* one modulus, divisor or exponent for all numbers */
    JOB_CASE_LONGER = 8,    /* dividends of twice the limbs; more terms */
    JOB_CASE_BARRETT = 16,  /* moduli of any parity */
    JOB_CASE_UNWANTED = 32, /* a result that may be left out is */
    JOB_CASE_NORMAL = 32,   /* with JOB_CASE_BARRETT: moduli have their highest bit */
    JOB_CASE_VARIANTS = 64
};

struct job_case {
    struct batch_task task; /* with batches between job_case_open and job_case_close */
    struct job job;
    unsigned variant;
    bool is_second_same; /* the second operand is the first one again */
    mp_limb_t *up[JOB_OPERANDS], *right[JOB_RESULTS]; /* right: GMP's results, or NULL */
};

/* Makes operands of `count` numbers of n limbs, by `seed`, on the host, and what GMP's functions
 * make of them.  They break carries; gcds have common factors, dividends are about multiples, and
 * so on. */
void job_case_make(struct job_case *c, enum job_op op, size_t count, size_t n, unsigned variant,
                   uint64_t seed);
void job_case_free(struct job_case *c);

/* Batches of them, and for results. */
void job_case_open(struct job_case *c);
void job_case_close(struct job_case *c);

/* Checks the results and operands; job_case_name returns the operation's name for messages. */
void job_case_check(const struct job_case *c);
const char *job_case_name(enum job_op op);

#endif
