/* SPDX-License-Identifier: LGPL-3.0-or-later
 * Computes operations on batches: on the device, otherwise by GMP on the host. */
#include "compat/batch/task.h"

#include <stdlib.h>
#include <string.h>

#include "compat/batch/batch_gmp.h"
#include "lib/base/conf.h"
#include "lib/gmp/memory.h"
#include "lib/memory/wipe.h"
#include "lib/session/session.h"

static bool is_operand(const struct batch_task *t, const mpgpu_batch *b) {
    for (unsigned k = 0; k < t->operands; k++)
        if (t->u[k] == b)
            return true;
    return false;
}

static struct job_ref shape_of(const mpgpu_batch *b) {
    return b ? (struct job_ref){.count = b->count, .n = b->n} : (struct job_ref){.count = 0};
}

void batch_task_job(const struct batch_task *t, struct job *job) {
    *job = (struct job){.op = t->op, .operands = t->operands, .results = t->results};
    memcpy(job->parameter, t->parameter, sizeof job->parameter);
    if (t->e)
        job->e = *t->e;
    for (unsigned k = 0; k < t->operands; k++)
        job->u[k] = shape_of(t->u[k]);
    for (unsigned k = 0; k < t->results; k++)
        job->r[k] = shape_of(t->r[k]);
}

bool batch_task_fits(const struct batch_task *t) {
    struct job job;
    if (is_operand(t, NULL))
        return false;
    for (unsigned k = 1; k < t->results; k++)
        for (unsigned j = 0; j < k; j++)
            if (t->r[k] && t->r[k] == t->r[j])
                return false;
    batch_task_job(t, &job);
    return job_fits(&job);
}

static bool is_lost(const struct batch_task *t) {
    for (unsigned k = 0; k < t->operands; k++)
        if (t->u[k]->where == BATCH_LOST)
            return true;
    return false;
}

/* ---- by GMP */

void batch_task_free(const struct batch_task *t, mp_limb_t **rp) {
    for (unsigned k = 0; k < t->results; k++) {
        wipe_free(rp[k], t->r[k] ? batch_size(t->r[k]) * sizeof **rp : 0);
        rp[k] = NULL;
    }
}

bool batch_task_alloc(const struct batch_task *t, mp_limb_t **rp) {
    bool is_complete = true;
    for (unsigned k = 0; k < t->results; k++) {
        rp[k] = t->r[k] ? malloc(batch_size(t->r[k]) * sizeof **rp) : NULL;
        is_complete = is_complete && (rp[k] || !t->r[k]);
    }
    if (!is_complete)
        batch_task_free(t, rp);
    return is_complete;
}

struct host_work {
    const struct batch_task *t;
    mp_limb_t *const *rp;
    const mp_limb_t *const *up;
};

static int call_gmp(void *work) {
    const struct host_work *w = work;
    struct job job;
    batch_task_job(w->t, &job);
    job_by_gmp(&job, w->rp, w->up);
    return 0;
}

int batch_task_by_gmp(const struct batch_task *t, mp_limb_t *const *rp,
                      const mp_limb_t *const *up) {
    struct host_work w = {t, rp, up};
    return memory_guarded(call_gmp, &w, MPGPU_NO_MEMORY);
}

static bool compute_on_host(const struct batch_task *t, mp_limb_t **rp) {
    const mp_limb_t *up[JOB_OPERANDS];
    for (unsigned k = 0; k < t->operands; k++)
        up[k] = t->u[k]->limbs;
    return batch_task_by_gmp(t, rp, up) == 0;
}

/* Computes the task with GMP. The results keep their old numbers until all are computed. */
static int on_host(const struct batch_task *t) {
    mp_limb_t *rp[JOB_RESULTS];
    int error = 0;
    for (unsigned k = 0; k < t->operands && !error; k++)
        error = batch_to_host(t->u[k]);
    if (error)
        return error;
    if (!batch_task_alloc(t, rp))
        return batch_fail(MPGPU_NO_MEMORY);
    if (!compute_on_host(t, rp)) {
        batch_task_free(t, rp);
        return batch_fail(MPGPU_NO_MEMORY);
    }
    for (unsigned k = 0; k < t->results; k++)
        if (t->r[k])
            batch_is_on_host(t->r[k], rp[k]);
    return 0;
}

/* ---- on the device */

/* Returns the device memory for result k. A result that is also an operand gets other memory, so
 * that the operand survives a failure. */
struct batch_store *batch_task_store(const struct batch_task *t, unsigned k) {
    return is_operand(t, t->r[k]) ? &t->r[k]->spare : &t->r[k]->store;
}

/* Moves all operands to the device and allocates the results. Sets u[] and r[] to the handles of
 * the device memory of operands and results. */
static enum outcome gather(const struct batch_task *t, gpu_mem *r, gpu_mem *u) {
    enum outcome outcome = OUTCOME_DONE;
    for (unsigned k = 0; k < t->operands && outcome == OUTCOME_DONE; k++)
        outcome = batch_to_device(t->u[k]);
    for (unsigned k = 0; k < t->results && outcome == OUTCOME_DONE; k++)
        if (t->r[k])
            outcome =
                batch_reserve(batch_task_store(t, k), batch_size(t->r[k]) * sizeof(mp_limb_t));
    for (unsigned k = 0; k < t->operands && outcome == OUTCOME_DONE; k++)
        u[k] = t->u[k]->store.mem;
    for (unsigned k = 0; k < t->results && outcome == OUTCOME_DONE; k++)
        r[k] = t->r[k] ? batch_task_store(t, k)->mem : (gpu_mem){0};
    return outcome;
}

static void keep_one(const struct batch_task *t, unsigned k) {
    mpgpu_batch *r = t->r[k];
    if (is_operand(t, r)) {
        struct batch_store before = r->store;
        r->store = r->spare;
        r->spare = before;
    }
    batch_is_on_device(r);
}

/* If the job computed residues (checksums) of the results, stores them with the result batches.
 * Later downloads are checked by them. */
static void set_residues(const struct batch_task *t, const struct job *job) {
    for (unsigned k = 0; k < t->results; k++)
        if (t->r[k]) {
            struct batch_store *store = batch_task_store(t, k);
            store->is_kept = job->r[k].has_residue;
            store->residue = job->r[k].residue;
        }
}

enum outcome batch_task_compute(const struct batch_task *t, const gpu_mem *r, const gpu_mem *u) {
    struct job job;
    batch_task_job(t, &job);
    for (unsigned k = 0; k < t->operands; k++) {
        job.u[k].mem = u[k];
        job.u[k].has_residue = t->u[k]->store.is_kept;
        job.u[k].residue = t->u[k]->store.residue;
    }
    for (unsigned k = 0; k < t->results; k++)
        job.r[k].mem = r[k];
    enum outcome outcome = job_run(&job);
    set_residues(t, &job);
    return outcome == OUTCOME_DONE && mpgpu_conf.verify >= VERIFY_RESIDUE ? batch_task_verify(t)
                                                                          : outcome;
}

void batch_task_keep(const struct batch_task *t) {
    for (unsigned k = 0; k < t->results; k++)
        if (t->r[k])
            keep_one(t, k);
}

enum outcome batch_task_try(const struct batch_task *t) {
    gpu_mem r[JOB_RESULTS], u[JOB_OPERANDS];
    enum outcome outcome = gather(t, r, u);
    return outcome == OUTCOME_DONE ? batch_task_compute(t, r, u) : outcome;
}

static enum outcome on_one_device(const struct batch_task *t) {
    enum outcome outcome = batch_task_try(t);
    if (outcome == OUTCOME_MEMORY)
        return batch_task_in_pieces(t);
    if (outcome == OUTCOME_DONE)
        batch_task_keep(t);
    return outcome;
}

/* Returns the device of the first operand that is on a usable device; otherwise the usable device
 * with the least memory in use. */
static int place_of(const struct batch_task *t) {
    for (unsigned k = 0; k < t->operands; k++)
        if (t->u[k]->where == BATCH_ON_DEVICE && session_is_usable(t->u[k]->store.device))
            return t->u[k]->store.device;
    return session_least_used();
}

static enum outcome on_device(const struct batch_task *t) {
    enum outcome outcome;
    if (batch_task_by_members(t, &outcome) || batch_task_in_shards(t, &outcome))
        return outcome;
    int before = session_bind(place_of(t));
    outcome = on_one_device(t);
    session_bind(before);
    return outcome;
}

/* ---- on the device or by GMP */

/* Marks the results as lost, except results that are also operands. */
static void forget_results(const struct batch_task *t) {
    for (unsigned k = 0; k < t->results; k++)
        if (t->r[k] && !is_operand(t, t->r[k]))
            t->r[k]->where = BATCH_LOST;
}

static int by_gmp_alone(const struct batch_task *t) {
    int error = on_host(t);
    if (error)
        forget_results(t);
    return error;
}

static size_t limbs_of(const struct batch_task *t) {
    size_t limbs = 0;
    for (unsigned k = 0; k < t->operands; k++)
        limbs += batch_size(t->u[k]);
    return limbs;
}

/* Returns the size that is compared with the threshold of batches: the limbs of the first operand.
 * For a product of matrices, this size is multiplied by the columns of the second factor. For a
 * determinant or a system, it is multiplied by the rows of the matrix. */
static size_t work_of(const struct batch_task *t) {
    const uint64_t each = t->op == JOB_matrix_mul     ? t->parameter[JOB_COLUMNS]
                          : t->op == JOB_matrix_solve ? t->parameter[JOB_SIDE]
                                                      : 1;
    size_t work;
    return __builtin_mul_overflow(batch_size(t->u[0]), each, &work) ? SIZE_MAX : work;
}

static enum call_row row_of(enum job_op op) {
    static const enum call_row rows[JOB_BATCH_OPS] = {
#define BATCH(name, row, shape, made_by) [JOB_##name] = ROW_##row,
#include "lib/job/ops.def"
    };
    return rows[op];
}

int batch_task_perform(const struct batch_task *t) {
    struct call call;
    if (!batch_task_fits(t))
        return batch_fail(MPGPU_ARGUMENTS);
    if (is_lost(t))
        return batch_fail(MPGPU_LOST);
    if (!call_begin(&call, row_of(t->op), work_of(t), &thresholds.batch, limbs_of(t)))
        return by_gmp_alone(t);
    /* Until they are computed, results are invalid: a signal handler may leave this call by
     * longjmp. */
    forget_results(t);
    enum outcome outcome = on_device(t);
    if (outcome == OUTCOME_SIZE)
        /* The numbers are too long for operations on batches: GMP's functions compute each number,
         * and these calls are intercepted. */
        call_open();
    int error = outcome == OUTCOME_DONE ? 0 : on_host(t);
    if (outcome == OUTCOME_SIZE)
        call_close(&call);
    call_end(&call, outcome);
    return error;
}
