/* SPDX-License-Identifier: LGPL-3.0-or-later
 * The engine: runs jobs on devices. */
#include "lib/job/engine.h"

#include "lib/base/conf.h"
#include "lib/base/log.h"
#include "lib/device/room.h"
#include "lib/job/engine_shares.h"
#include "lib/job/numbers.h"
#include "lib/operate/batches/counted.h"
#include "lib/session/session.h"

_Static_assert(sizeof(struct job) <= SESSION_ARGUMENT, "the device's thread gets a copy");

/* ---- residues: of each operand once */

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

/* ---- in that thread */

static enum gpu_status run_recipe(struct context *s, void *job) {
    return job_recipe(job)->run(s, job);
}

static enum gpu_status compute(struct context *s, struct job *job) {
    return counted_work(s, run_recipe, job, job_recipe(job)->way);
}

/* A recipe that leaves a residue out is as bad as one that is wrong. */
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

static enum gpu_status run_there(struct context *s, void *job) {
    return mpgpu_conf.verify == VERIFY_DEVICE ? compute_checked(s, job) : compute(s, job);
}

static enum outcome run_batch(struct job *job) {
    for (unsigned k = 0; k < job->results; k++)
        job->r[k].has_residue = false;
    return session_run(run_there, job, sizeof *job, job_recipe(job)->bytes(job));
}

/* ---- composite operations */

static enum gpu_status run_work(struct context *s, void *job) {
    return calc_run(s, job_work, job);
}

static enum gpu_status persist(struct context *s, void *job) {
    return room_persist(s, run_work, job);
}

/* On one device if several cannot share it, or have failed. */
static enum outcome run_composite(struct job *job) {
    const size_t bytes = 4 * (job->op == JOB_numbers ? numbers_bytes(job) : job_host_bytes(job));
    int device = SESSION_ANY;
    if (engine_may_share(job) && engine_run_shared(job, bytes, &device) == OUTCOME_DONE)
        return OUTCOME_DONE;
    const int bound = device == SESSION_ANY ? session_bound() : session_bind(device);
    enum outcome outcome = session_run(persist, job, offsetof(struct job, e), bytes);
    session_bind(bound);
    return outcome;
}

/* ---- */

enum outcome engine_run(struct job *job) {
    return job->op < JOB_BATCH_OPS         ? run_batch(job)
           : job->op < JOB_FIRST_COMPOSITE ? engine_run_limbs(job)
                                           : run_composite(job);
}
