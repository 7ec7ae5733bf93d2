/* SPDX-License-Identifier: LGPL-3.0-or-later
 * Random jobs (operations with their operands as plain data) of every operation on limbs and every
 * composite operation in lib/job/ops.def.  They include GMP's results, for tests of the whole list.
 * In composite_cases.c each composite operation has two functions: make_NAME makes a job, gmp_NAME
 * computes it by GMP. */
#ifndef MPGPU_TEST_COMPOSITE_CASES_H
#define MPGPU_TEST_COMPOSITE_CASES_H

#include "lib/algorithms/recipe.h"
#include "lib/job/job.h"
#include "tests/support/job_cases.h"

/* A bit of the argument `variant`: operands are uniform and of full length, so that carries do not
 * propagate far. */
enum { COMPOSITE_CASE_PLAIN = JOB_CASE_VARIANTS };

/* Returns true if the host can also compute the operation, by the products of which it consists. */
static inline bool composite_case_is_for_host(enum job_op op) {
    return op >= JOB_FIRST_COMPOSITE && op < JOB_mul_part;
}

/* The memory of an operand, of a result, or of a result that overwrites an operand, with guard
 * limbs around it.  `before` is its content before the job, `right` the content after a right
 * job. */
struct composite_block {
    unsigned char *memory, *before, *right;
    size_t bytes;
    bool is_operand;
};

struct composite_case {
    struct job job;   /* the job that composite_case_make has made */
    struct job right; /* the job with GMP's results and answers, and with unchanged operands */
    struct composite_block block[JOB_OPERANDS + JOB_RESULTS];
    /* if may_be_wrong is set, composite_case_run sets is_wrong instead of failing the test */
    bool may_be_wrong, is_wrong;
    void *made[JOB_OPERANDS + 8];
    unsigned made_count;
};

/* Makes a random job.  n >= 1 is the approximate number of limbs of the divisor, the number, the
 * modulus or the result.  Operands cause extreme carries.  `variant` may contain
 * COMPOSITE_CASE_PLAIN, and JOB_CASE_SAME, JOB_CASE_IN_PLACE and JOB_CASE_UNWANTED if the operation
 * supports them. */
void composite_case_make(struct composite_case *c, enum job_op op, size_t n, unsigned variant);
void composite_case_free(struct composite_case *c);

/* Sets the seed of random jobs; the default is the tests' seed. */
void composite_case_seed(unsigned long seed);

/* Computes the job with `run`, which is job_run or a similar function.  Computes a root in two jobs
 * if the library would.  Fails the test if results, answers or guard limbs are wrong, or if an
 * operand has changed.  `what` describes the case in messages.  Returns the outcome. */
enum outcome composite_case_run(struct composite_case *c, enum outcome (*run)(struct job *job),
                                const char *what);

/* Computes a job that consists of several operations on numbers (lib/job/numbers.h), on the host.
 * Outside of this test, only the device computes such jobs. */
static inline void composite_case_work(struct calc *c, void *job) {
    recipe_numbers(c, job);
}
static inline bool composite_case_run_numbers(struct job *job) {
    struct composite w = {0};
    struct calc c;
    if (!recipe_open(&c, &w, composite_case_work, job))
        return false;
    const bool is_done = calc_run_on_host(&c, composite_case_work, job) == GPU_OK;
    recipe_close(&c);
    return is_done;
}

#endif
