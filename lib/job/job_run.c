/* SPDX-License-Identifier: LGPL-3.0-or-later
 * Runs a job in the program's process: refuses a job that does not fit, prepares host memory, calls
 * the engine, and checks the result if the option `verify` requires it. */
#include <stdlib.h>
#include <string.h>

#include "lib/base/conf.h"
#include "lib/base/log.h"
#include "lib/job/engine.h"
#include "lib/job/limbs_gmp.h"
#include "lib/job/numbers.h"
#include "lib/memory/touch.h"
#include "lib/memory/wipe.h"
#include "lib/session/session.h"

/* ---- the check of results on the host */

static const char *name_of(const struct job *job) {
    switch (job->op) {
#define LIMBS(name, what)                                                                          \
    case JOB_##name:                                                                               \
        return what;
#include "lib/job/ops.def"
    default:
        return "";
    }
}

enum outcome job_judge(enum verify_result result, const char *what, size_t un, size_t vn) {
    switch (result) {
    case VERIFY_GOOD:
        return OUTCOME_DONE;
    case VERIFY_NO_MEMORY:
        return OUTCOME_MEMORY;
    case VERIFY_WRONG:
        break;
    }
    session_fault();
    mpgpu_log(LOG_WARNING, "wrong %s of %zu and %zu limbs from the device; GMP computes it", what,
              un, vn);
    return OUTCOME_FAILED;
}

static enum outcome judge(const struct job *job) {
    return job_judge(limbs_verify(job), name_of(job), job->u[0].n, job->u[1].n);
}

/* ---- memory */

/* Reads or rewrites a byte of each page (lib/memory/touch.h) of the ranges in `touches`, and of the
 * memory to which the tables of a program over numbers refer. Returns false if some memory is not
 * usable. */
static bool touch_numbers(const struct job *job, const struct touch *touches, size_t count) {
    const struct number_program k = numbers_of(job);
    struct touch *all = malloc((count + k.variables) * sizeof *all);
    if (!all)
        return false;
    memcpy(all, touches, count * sizeof *all);
    for (uint64_t i = 0; i < k.variables; i++) {
        const struct number_variable *p = &k.variable[i];
        if (p->host)
            all[count++] =
                (struct touch){p->host, p->words * sizeof(uint32_t), !(p->flags & NUMBER_IS_KNOWN)};
    }
    const bool is_usable = touch_all(all, count);
    free(all);
    return is_usable;
}

/* Reads or rewrites a byte of each page of *job's host memory. Uses the calling thread, since a
 * signal handler may have to make pages accessible (lib/memory/touch.h). Returns false if some
 * memory is not usable. */
static bool touch(const struct job *job) {
    struct touch touches[JOB_OPERANDS + JOB_RESULTS];
    size_t count = 0;
    for (unsigned k = 0; k < job->operands; k++)
        if (job->u[k].host)
            touches[count++] = (struct touch){job->u[k].host, job_bytes(&job->u[k]), false};
    for (unsigned k = 0; k < job->results; k++)
        if (job->r[k].count > 0 && job->r[k].host)
            touches[count++] = (struct touch){job->r[k].host, job_bytes(&job->r[k]), true};
    return job->op == JOB_numbers ? touch_numbers(job, touches, count) : touch_all(touches, count);
}

/* Computes the whole product and reduces it modulo B^n, B^n - 1 or B^n + 1 (B = 2^64). With
 * verify:residue only the whole product can be checked (lib/job/limbs_gmp.h). */
static enum outcome run_in_full(struct job *job) {
    struct job whole = {.op = JOB_mul, .operands = 2, .results = 1, .u = {job->u[0], job->u[1]}};
    const size_t n = job->u[0].n + job->u[1].n, bytes = n * sizeof(mp_limb_t);
    mp_ptr pp = malloc(bytes);
    whole.r[0] = job_limbs(pp, n);
    enum outcome outcome = pp ? job_run(&whole) : OUTCOME_MEMORY;
    if (outcome == OUTCOME_DONE)
        limbs_reduce(job, pp);
    wipe_free(pp, bytes);
    job->r[0].delivered = job->r[0].n;
    return outcome;
}

/* ---- corrections of the engine's results */

static bool is_zero(const struct job_ref *x) {
    return mpn_zero_p(x->host, (mp_size_t)x->n);
}

/* Corrects two results of the engine. A complement, which mul_1 may return, becomes the absolute
 * value. If an operand is 0, a product modulo B^n - 1 (B = 2^64) becomes 0 instead of B^n - 1, as
 * in GMP. */
static void correct_result(struct job *job) {
    struct job_ref *r = &job->r[0];
    if (job->answer & JOB_IS_COMPLEMENT) {
        mpn_neg(r->host, r->host, (mp_size_t)r->n);
        job->answer = JOB_IS_NEGATIVE;
    }
    if (job->op == JOB_mulmod_bnm1 && r->host[0] == ~(mp_limb_t)0 &&
        (is_zero(&job->u[0]) || is_zero(&job->u[1])))
        memset(r->host, 0, job_bytes(r));
}

/* ---- the job */

static enum outcome run(struct job *job) {
    if (mpgpu_conf.verify == VERIFY_RESIDUE && limbs_is_in_ring(job))
        return run_in_full(job);
    if (job->op < JOB_BATCH_OPS)
        return engine_run_staged(job);
    enum outcome outcome = engine_run(job);
    if (outcome == OUTCOME_DONE && job_is_on_limbs(job))
        correct_result(job);
    bool is_checked = mpgpu_conf.verify >= VERIFY_RESIDUE && job_is_on_limbs(job);
    return outcome == OUTCOME_DONE && is_checked ? judge(job) : outcome;
}

static enum outcome run_in_memory(struct job *job) {
    struct job apart;
    if (!job_begin(&apart, job))
        return OUTCOME_MEMORY;
    enum outcome outcome = touch(job) ? run(&apart) : OUTCOME_MEMORY;
    job_end(job, &apart, outcome == OUTCOME_DONE);
    return outcome;
}

bool job_composites_run(void) {
    return mpgpu_conf.verify < VERIFY_RESIDUE && session_ready() == OUTCOME_DONE;
}

enum outcome job_run(struct job *job) {
    if (!job_fits(job)) {
        mpgpu_log(LOG_WARNING, "a job of operation %d is inconsistent", (int)job->op);
        return OUTCOME_FAILED;
    }
    job->answer = 0;
    if (!job_takes(job))
        return OUTCOME_SIZE;
    const bool is_on_device = job->op < JOB_BATCH_OPS && !job->u[0].host;
    return is_on_device ? engine_run(job) : run_in_memory(job);
}
