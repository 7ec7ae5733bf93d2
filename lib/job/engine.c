/* SPDX-License-Identifier: LGPL-3.0-or-later
 * The engine: chooses devices for jobs and runs them there. */
#include "lib/job/engine.h"

#include "lib/base/conf.h"
#include "lib/base/log.h"
#include "lib/device/retry.h"
#include "lib/job/batch_store.h"
#include "lib/job/engine_shards.h"
#include "lib/job/far_job.h"
#include "lib/job/numbers.h"
#include "lib/session/session.h"
#include "lib/session/start/contact.h"
#include "lib/transfer/caller_memory.h"
#include "lib/transfer/transfer.h"

_Static_assert(sizeof(struct job) <= SESSION_ARGUMENT, "the device's thread gets a copy");

/* ---- residues of operands and results. The list has one entry for an operand that is passed
 * twice. */

static struct kept_number number_of(const struct job_ref *b) {
    return (struct kept_number){b->mem, b->count * b->n * 2, b->residue};
}

static bool is_first(const struct job *job, unsigned k) {
    for (unsigned i = 0; i < k; i++)
        if (job->u[i].mem.h == job->u[k].mem.h)
            return false;
    return true;
}

static struct kept kept_of(const struct job *job) {
    struct kept kept = {.operands = 0};
    for (unsigned k = 0; k < job->operands; k++)
        if (job->u[k].has_residue && is_first(job, k))
            kept.operand[kept.operands++] = number_of(&job->u[k]);
    for (unsigned k = 0; k < job->results; k++)
        if (job->r[k].count > 0)
            kept.result[kept.results++] = number_of(&job->r[k]);
    return kept;
}

static void set_residues(struct job *job, const struct kept *kept) {
    for (unsigned k = 0, i = 0; k < job->results; k++)
        if (job->r[k].count > 0) {
            job->r[k].residue = kept->result[i++].residue;
            job->r[k].has_residue = true;
        }
}

/* ---- functions that run in the device's thread: they upload and download numbers in host
 * memory */

_Static_assert(SLOT_STAGED_R - SLOT_STAGED_U == JOB_OPERANDS &&
                   SLOT_ADDEND - SLOT_STAGED_R == JOB_RESULTS,
               "a buffer for each");

/* Uploads operand k, unless an earlier operand is the same memory. */
static enum gpu_status stage_operand(struct context *s, struct job *job, unsigned k) {
    struct job_ref *u = &job->u[k];
    for (unsigned i = 0; i < k; i++)
        if (job_is_same(&job->u[i], u)) {
            u->mem = job->u[i].mem;
            return GPU_OK;
        }
    enum gpu_status status = context_buffer(s, SLOT_STAGED_U + k, job_bytes(u), &u->mem);
    return status == GPU_OK ? transfer_up(s->transfer, &s->queue, u->mem, 0, u->host, job_bytes(u))
                            : status;
}

static enum gpu_status stage(struct context *s, struct job *job) {
    const double start = stats_now();
    enum gpu_status status = GPU_OK;
    for (unsigned k = 0; k < job->operands && status == GPU_OK; k++)
        status = stage_operand(s, job, k);
    for (unsigned k = 0; k < job->results && status == GPU_OK; k++)
        if (job->r[k].count > 0)
            status = context_buffer(s, SLOT_STAGED_R + k, job_bytes(&job->r[k]), &job->r[k].mem);
    stats_here()->upload += stats_now() - start;
    return status;
}

static enum gpu_status fetch(struct context *s, struct job *job) {
    const double start = stats_now();
    enum gpu_status status = GPU_OK;
    for (unsigned k = 0; k < job->results && status == GPU_OK; k++) {
        struct job_ref *r = &job->r[k];
        r->delivered = r->count * r->n;
        if (r->count > 0)
            status = transfer_down(s->transfer, &s->queue, r->host, r->mem, 0, job_bytes(r));
    }
    stats_here()->download += stats_now() - start;
    return status;
}

/* ---- functions that run in the device's thread: they compute the job by its recipe (struct
 * recipe) */

static enum gpu_status compute(struct context *s, struct job *job) {
    const double start = stats_now();
    enum gpu_status status = engine_recipe(job)->run(s, job);
    stats_here()->kernels += stats_now() - start;
    return status;
}

/* Computes the job and compares the residues of its batches. Fails if the recipe compared no
 * residue, because a changed operand would then remain undetected. */
static enum gpu_status compute_checked(struct context *s, struct job *job) {
    struct kept kept = kept_of(job);
    struct kept_work work;
    kept_begin(s, &work, &kept);
    enum gpu_status status = compute(s, job);
    s->kept = NULL;
    if (status == GPU_OK && !work.has_compared) {
        mpgpu_log(LOG_WARNING, "%s: residues of a batch are missing", s->dev.caps.name);
        status = GPU_FAILED;
    }
    if (status == GPU_OK)
        set_residues(job, &kept);
    return status;
}

/* Returns true if the recipe checks the result against the operands on the device. Residues of
 * operands and results in host memory are then not needed. */
static bool checks_itself(const struct job *job) {
    return job->op == JOB_poly_mul;
}

static enum gpu_status run_there(struct context *s, void *argument) {
    struct job *job = argument;
    const bool is_staged = job->u[0].host;
    enum gpu_status status = is_staged ? stage(s, job) : GPU_OK;
    if (status == GPU_OK)
        status = mpgpu_conf.verify == VERIFY_DEVICE && !(is_staged && checks_itself(job))
                     ? compute_checked(s, job)
                     : compute(s, job);
    if (status == GPU_OK && is_staged)
        status = fetch(s, job);
    if (status == GPU_OK)
        stats_here()->ways[engine_recipe(job)->way]++;
    return status;
}

/* Returns the function that runs the job on a device: session_run_job for a job without device
 * memory, which a server on another host may also run; otherwise session_run. */
static enum outcome (*runner(const struct job *job))(enum gpu_status (*)(struct context *, void *),
                                                     void *, size_t, size_t) {
    return job_crosses(job) ? session_run_job : session_run;
}

static enum gpu_status persist(struct context *s, void *job) {
    return context_runs_jobs(s) ? far_run(s, job) : retry_with_less(s, run_there, job);
}

/* Returns true if the server may choose the device of the job. With verify:residue and verify:full
 * this process chooses, because it checks the result and must know which device was wrong. */
static bool may_go_anywhere(const struct job *job) {
    return mpgpu_conf.verify <= VERIFY_DEVICE && !job_has_tables(job) && job_crosses(job);
}

enum outcome engine_submit(enum gpu_status (*work)(struct context *s, void *job), struct job *job,
                           size_t size, size_t bytes) {
    job->devices = may_go_anywhere(job) ? session_devices_there() : 0;
    return runner(job)(work, job, size, bytes);
}

static enum outcome run_batch(struct job *job) {
    for (unsigned k = 0; k < job->results; k++)
        job->r[k].has_residue = false;
    return engine_submit(persist, job, sizeof *job, engine_bytes(job));
}

/* ---- composite operations */

static void work(struct calc *c, void *job) {
    struct job *j = job;
    switch (j->op) {
#define COMPOSITE(name, longest)
#define UPLOADED(name) ON_DEVICE(name)
#define ON_DEVICE(name)                                                                            \
    case JOB_##name:                                                                               \
        recipe_##name(c, j);                                                                       \
        break;
#include "lib/job/ops.def"
    default:
        job_work(c, job);
    }
}

/* Runs a recipe that launches its own kernels. Other recipes run twice (calc_run), the first time
 * only to plan the memory. This kind of recipe needs no plan. */
static enum gpu_status launch(struct context *s, void *job) {
    const double start = stats_now();
    struct calc c = {.s = s};
    work(&c, job);
    stats_here()->kernels += stats_now() - start;
    stats_here()->ways[STATS_BATCH] += c.status == GPU_OK;
    return c.status;
}

static enum gpu_status run_work(struct context *s, void *job) {
    const enum job_op op = ((struct job *)job)->op;
    return op == JOB_batch_look || op == JOB_mandelbrot ? launch(s, job) : calc_run(s, work, job);
}

static enum gpu_status persist_work(struct context *s, void *job) {
    return context_runs_jobs(s) ? far_run(s, job) : retry_with_less(s, run_work, job);
}

size_t engine_bytes(const struct job *job) {
    struct mandelbrot_view v;
    if (job->op < JOB_BATCH_OPS)
        return engine_recipe(job)->bytes(job);
    if (job->op < JOB_FIRST_COMPOSITE)
        return job_host_bytes(job);
    if (job->op == JOB_mandelbrot && caller_read(NULL, &v, job->u[0].host, sizeof v))
        return (size_t)v.width * v.rows * v.most;
    return 4 * (job->op == JOB_numbers ? numbers_bytes(job) : job_host_bytes(job));
}

/* Runs the job on two devices if they can share it. Otherwise, or if that fails, runs it on one
 * device. */
static enum outcome run_composite(struct job *job) {
    const size_t bytes = engine_bytes(job);
    int device = SESSION_ANY;
    if (engine_may_shard(job) && engine_run_sharded(job, bytes, &device) == OUTCOME_DONE)
        return OUTCOME_DONE;
    /* Opens the device at once, because only a device can compute a view. Otherwise the library
     * would wait until GMP has spent enough time (lib/session/start/contact.h). */
    if (job->op == JOB_mandelbrot)
        contact_allow();
    const int bound = device == SESSION_ANY ? session_bound() : session_bind(device);
    enum outcome outcome = engine_submit(persist_work, job, offsetof(struct job, e), bytes);
    session_bind(bound);
    return outcome;
}

/* ---- */

static uint64_t residue_of(const struct job_ref *x) {
    return batch_residue(x->host, 0, job_bytes(x));
}

/* Returns true if the results in host memory have the residues that the device computed. If not,
 * they changed during the download. */
static bool are_kept(const struct job *job) {
    bool are_kept = true;
    for (unsigned k = 0; k < job->results && are_kept; k++) {
        const struct job_ref *r = &job->r[k];
        const struct batch_store made = {.is_kept = r->has_residue, .residue = r->residue};
        are_kept = r->count == 0 || !r->has_residue || batch_is_kept(&made, residue_of(r));
    }
    return are_kept;
}

enum outcome engine_run_staged(struct job *job) {
    const bool has_residues = mpgpu_conf.verify == VERIFY_DEVICE && !checks_itself(job);
    for (unsigned k = 0; k < job->operands && has_residues; k++) {
        job->u[k].residue = residue_of(&job->u[k]);
        job->u[k].has_residue = true;
    }
    enum outcome outcome = run_batch(job);
    return outcome != OUTCOME_DONE || are_kept(job) ? outcome : OUTCOME_FAILED;
}

enum outcome engine_run(struct job *job) {
    return job->op < JOB_BATCH_OPS         ? run_batch(job)
           : job->op < JOB_FIRST_COMPOSITE ? engine_run_limbs(job)
           : job->op < JOB_FIRST_STORE     ? run_composite(job)
                                           : engine_run_store(job);
}
