/* SPDX-License-Identifier: LGPL-3.0-or-later
 * Test cases for every operation on batches in lib/job/ops.def, for tests of the whole list.  They
 * are built from the operation's shape in that list: the counts and lengths of its operands and
 * results. */
#ifndef MPGPU_TEST_JOB_CASES_H
#define MPGPU_TEST_JOB_CASES_H

#include "compat/batch/task.h"

/* Bits of a variant.  For some operations, a bit has another meaning (job_cases.c) or no effect. */
enum {
    JOB_CASE_SAME = 1,     /* the second operand equals the first */
    JOB_CASE_IN_PLACE = 2, /* the first result overwrites an operand */
    /* one modulus, divisor or exponent is used for all numbers of the batch */
    JOB_CASE_FOR_ALL = 4,
    JOB_CASE_LONGER = 8,    /* dividends have twice the divisor's limbs; sums have more terms */
    JOB_CASE_BARRETT = 16,  /* moduli are odd or even, so Barrett's method is used */
    JOB_CASE_UNWANTED = 32, /* an optional result is not wanted */
    JOB_CASE_NORMAL = 32,   /* with JOB_CASE_BARRETT: moduli have their highest bit set */
    JOB_CASE_VARIANTS = 64
};

struct job_case {
    /* the batches of this task exist from job_case_open to job_case_close */
    struct batch_task task;
    struct job job;
    unsigned variant;
    bool is_second_same; /* the second operand equals the first */
    /* up: the operands; right: GMP's results, NULL for a result that is not wanted */
    mp_limb_t *up[JOB_OPERANDS], *right[JOB_RESULTS];
};

/* Makes operands of `count` numbers of n limbs from the random seed, on the host, and computes the
 * expected results by GMP.  Operands cause extreme carries.  Gcds have common factors, dividends
 * are near multiples, and so on. */
void job_case_make(struct job_case *c, enum job_op op, size_t count, size_t n, unsigned variant,
                   uint64_t seed);
void job_case_free(struct job_case *c);

/* Creates batches of the operands, and batches for the results. */
void job_case_open(struct job_case *c);
void job_case_close(struct job_case *c);

/* job_case_check checks results and operands.  job_case_name returns the operation's name for
 * messages. */
void job_case_check(const struct job_case *c);
const char *job_case_name(enum job_op op);

#endif
