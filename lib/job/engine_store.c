/* SPDX-License-Identifier: LGPL-3.0-or-later
 * Runs jobs that allocate, fill, read and free device memory of batches, numbers and trees. Memory
 * that another process's engine allocates for this process also counts against this process's limit
 * (context_reserve). */
#include "lib/job/engine.h"

#include "lib/job/far_job.h"
#include "lib/session/session.h"
#include "lib/transfer/transfer.h"

/* ---- functions that run in the device's thread, or in the caller's if another process runs the
 * job */

static enum gpu_status release(struct context *s, void *argument) {
    struct job *job = argument;
    const struct job_ref *u = &job->u[0];
    if (!context_runs_jobs(s)) {
        context_release(s, u->mem, job_bytes(u));
        return GPU_OK;
    }
    context_unreserve(s, job_bytes(u));
    return far_run(s, job);
}

static struct job release_of(const struct job *job) {
    return (struct job){.op = JOB_store_free,
                        .operands = 1,
                        .u = {{.mem = {job->answer}, .count = 1, .n = job->parameter[0]}}};
}

/* Allocates memory on a device that another process owns. Reserves the bytes only after far_run: if
 * a signal handler leaves far_run by longjmp, an earlier reservation would remain. */
static enum gpu_status alloc_far(struct context *s, struct job *job) {
    const size_t bytes = job_store_bytes(job);
    if (!context_reserve(s, bytes))
        return GPU_NOMEM;
    context_unreserve(s, bytes);
    enum gpu_status status = far_run(s, job);
    if (status != GPU_OK || context_reserve(s, bytes))
        return status;
    struct job free_it = release_of(job);
    far_run(s, &free_it);
    return GPU_NOMEM;
}

static enum gpu_status allocate(const struct context *s, const struct job *job, gpu_mem *mem) {
    const struct gpu_backend *b = s->dev.backend;
    if (!job->parameter[JOB_IS_SHARED])
        return gpu_alloc(&s->dev, job_store_bytes(job), mem);
    return b->alloc_shared ? b->alloc_shared(s->dev.impl, job_store_bytes(job), mem) : GPU_NOMEM;
}

/* Allocates device memory. If a signal handler of the calling thread has left the job by longjmp,
 * releases the memory again, because nobody else would. */
static enum gpu_status alloc(struct context *s, void *argument) {
    struct job *job = argument;
    const size_t bytes = job_store_bytes(job);
    gpu_mem mem;
    if (context_runs_jobs(s))
        return alloc_far(s, job);
    if (!context_reserve(s, bytes))
        return GPU_NOMEM;
    enum gpu_status status = allocate(s, job, &mem);
    if (status != GPU_OK) {
        context_unreserve(s, bytes);
        return status;
    }
    job->answer = mem.h;
    if (lease_enter(s->lease)) {
        lease_leave(s->lease);
        return GPU_OK;
    }
    struct job free_it = release_of(job);
    release(s, &free_it);
    return lease_refusal(s->lease);
}

/* Returns the offset, in bytes, of the part to fill or fetch. */
static size_t at_of(const struct job *job) {
    return job->parameter[JOB_AT] * sizeof(uint64_t);
}

static enum gpu_status fill(struct context *s, void *argument) {
    struct job *job = argument;
    if (context_runs_jobs(s))
        return far_run(s, job);
    const double start = stats_now();
    const struct job_ref *r = &job->r[0];
    const size_t at = at_of(job), bytes = job_store_bytes(job);
    enum gpu_status status =
        job->operands > 0 ? transfer_up(s->transfer, &s->queue, r->mem, at, job->u[0].host, bytes)
                          : gpu_zero(&s->queue, r->mem, at, bytes);
    if (status == GPU_OK)
        status = gpu_finish(&s->queue);
    stats_here()->upload += stats_now() - start;
    return status;
}

static enum gpu_status fetch(struct context *s, void *argument) {
    struct job *job = argument;
    if (context_runs_jobs(s))
        return far_run(s, job);
    const double start = stats_now();
    struct job_ref *r = &job->r[0];
    r->delivered = r->n;
    enum gpu_status status =
        transfer_down(s->transfer, &s->queue, r->host, job->u[0].mem, at_of(job), job_bytes(r));
    stats_here()->download += stats_now() - start;
    return status;
}

static enum gpu_status copy(struct context *s, void *argument) {
    struct job *job = argument;
    if (context_runs_jobs(s))
        return far_run(s, job);
    enum gpu_status status = gpu_copy(&s->queue, job->r[0].mem, job->u[0].mem, job_bytes(job->u));
    if (status == GPU_OK)
        status = gpu_finish(&s->queue);
    job->r[0].has_residue = job->u[0].has_residue;
    job->r[0].residue = job->u[0].residue;
    return status;
}

/* ---- functions that run in the caller's thread */

enum outcome engine_run_store(struct job *job) {
    enum { SIZE = offsetof(struct job, e) };
    const size_t bytes = job_store_bytes(job);
    switch (job->op) {
    case JOB_store_alloc:
        return session_run(alloc, job, SIZE, bytes);
    case JOB_store_fill:
        return session_run(fill, job, SIZE, bytes);
    case JOB_store_copy:
        return session_run(copy, job, SIZE, bytes);
    case JOB_store_fetch:
        return session_rescue(fetch, job, SIZE, bytes, false);
    default:
        return session_rescue(release, job, SIZE, 0, true);
    }
}
