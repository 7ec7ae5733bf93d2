/* SPDX-License-Identifier: LGPL-3.0-or-later
 * Jobs of lib/job/ops.def on numbers in host memory, which test_inject runs.
 * tests/support/composite_cases.h makes the jobs. */
#include "lib/session/session.h"
#include "tests/support/composite_cases.h"
#include "tests/unit/fault/inject_backend.h"
#include "tests/unit/fault/inject_operations.h"

enum { N = 60 };

/* Runs a job. If the device rejects a text, callers of set_str let GMP read it, so a rejected text
 * counts as a job that was not computed. */
static enum outcome run_job(struct job *job) {
    const enum outcome outcome = job_run(job);
    const bool is_rejected = outcome == OUTCOME_DONE && job->op == JOB_set_str;
    return is_rejected && job->answer & JOB_IS_NO_NUMBER ? OUTCOME_NONE : outcome;
}

static void run(enum job_op op, unsigned set) {
    static const unsigned variants[INJECT_SETS] = {0, JOB_CASE_IN_PLACE, JOB_CASE_SAME};
    static struct composite_case all[JOB_OPS][INJECT_SETS];
    struct composite_case *c = &all[op][set];
    if (!c->job.operands) { /* the first run, which has no device, makes the job */
        composite_case_seed(1 + set);
        composite_case_make(c, op, N, COMPOSITE_CASE_PLAIN | variants[set]);
        c->may_be_wrong = true;
    }
    session_wait();
    written_job(composite_case_run(c, run_job, inject_text()) == OUTCOME_DONE);
    const mp_limb_t is_wrong = c->is_wrong;
    written_limbs(&is_wrong, 1);
}

#define LIMBS(name, what)                                                                          \
    static void call_##name(unsigned set) {                                                        \
        run(JOB_##name, set);                                                                      \
    }
#define COMPOSITE(name, longest) LIMBS(name, "")
#include "lib/job/ops.def"

const struct inject_operation inject_jobs[] = {
#define LIMBS(name, what) {"job_" #name, call_##name, NO_TRANSFERS, JOB_##name == JOB_mandelbrot},
#define COMPOSITE(name, longest) LIMBS(name, "")
#include "lib/job/ops.def"
    {NULL, NULL, NO_TRANSFERS, false}};
