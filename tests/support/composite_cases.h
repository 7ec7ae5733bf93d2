/* SPDX-License-Identifier: LGPL-3.0-or-later
 * Random jobs of every operation on limbs and every composite operation in lib/job/ops.def, with
 * GMP's results: for tests that go over the whole list.  A composite operation has two functions in
 * composite_cases.c, make_NAME and gmp_NAME. */
#ifndef MPGPU_TEST_COMPOSITE_CASES_H
#define MPGPU_TEST_COMPOSITE_CASES_H

#include "lib/algorithms/recipe.h"
#include "lib/job/job.h"
#include "tests/support/job_cases.h"

/* A bit of a variant: operands are uniform and of full length, so no carry goes far. */
enum { COMPOSITE_CASE_PLAIN = JOB_CASE_VARIANTS };

/* Returns true if the host's engine computes the operation, too. */
static inline bool composite_case_is_for_host(enum job_op op) {
    return op >= JOB_FIRST_COMPOSITE && op < JOB_mul_part;
}

/* Memory of an operand, of a result, or of a result in the place of an operand, with limbs around
 * it: before the job, and after the job if GMP computes it. */
struct composite_block {
    unsigned char *memory, *before, *right;
    size_t bytes;
    bool is_operand;
};

struct composite_case {
    struct job job;   /* as composite_case_make left it */
    struct job right; /* GMP's answers; operands that nothing changes */
    struct composite_block block[JOB_OPERANDS + JOB_RESULTS];
    void *made[JOB_OPERANDS + 8];
    unsigned made_count;
};

/* Makes a random job of about n limbs, n >= 1: of the divisor, the number, the modulus or the
 * result.  Operands break carries.  Variant: COMPOSITE_CASE_PLAIN; JOB_CASE_SAME,
 * JOB_CASE_IN_PLACE and JOB_CASE_UNWANTED, if the operation has them. */
void composite_case_make(struct composite_case *c, enum job_op op, size_t n, unsigned variant);
void composite_case_free(struct composite_case *c);

/* Sets the seed of random jobs; by default it is the tests' seed. */
void composite_case_seed(unsigned long seed);

/* Computes the job with `run`, job_run or a function like it; a root as its caller does, in two
 * jobs if necessary.  Fails the test if results, answers or memory around them are not right, or if
 * an operand has changed.  `what` is for messages.  Returns the outcome. */
enum outcome composite_case_run(struct composite_case *c, enum outcome (*run)(struct job *job),
                                const char *what);

/* Computes a program over numbers, which the device alone runs for programs, by the host's engine.
 */
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
