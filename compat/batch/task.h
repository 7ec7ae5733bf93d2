/* SPDX-License-Identifier: LGPL-3.0-or-later
 * An operation on batches: moves its operands to the device, or to the host for GMP, computes it,
 * and stores its results. */
#ifndef MPGPU_BATCH_TASK_H
#define MPGPU_BATCH_TASK_H

#include "compat/batch/batch.h"
#include "compat/intercept/call.h"
#include "lib/job/job.h"

struct batch_task {
    enum job_op op;
    unsigned operands, results;
    mpgpu_batch *u[JOB_OPERANDS]; /* any may be the same */
    mpgpu_batch *r[JOB_RESULTS];  /* NULL: not wanted; any may be an operand */
    uint64_t parameter[JOB_PARAMETERS];
    const struct expression *e; /* of JOB_batch_expression */
};

/* Returns true if no operand is NULL, no batch is a result twice, and counts and lengths fit
 * together. */
bool batch_task_fits(const struct batch_task *t);

/* Computes the task: on the device if u[0] has at least `batch` limbs (the threshold), otherwise by
 * GMP.  Returns 0, or a code of include/mpgpu.h with the text of mpgpu_error.  MPGPU_ARGUMENTS
 * changes no batch; after other errors results are unspecified or lost. */
int batch_task_perform(const struct batch_task *t);

/* ---- within compat/batch */

/* Returns the store that result k is computed into. */
struct batch_store *batch_task_store(const struct batch_task *t, unsigned k);

/* Allocates the limbs of each result by malloc, NULL for unwanted ones.  Returns false without
 * memory. */
bool batch_task_alloc(const struct batch_task *t, mp_limb_t **rp);
void batch_task_free(const struct batch_task *t, mp_limb_t **rp);

/* Uploads operands and computes results on the device that the thread is bound to.  Batches keep
 * their old values until batch_task_keep. */
enum outcome batch_task_try(const struct batch_task *t);
void batch_task_keep(const struct batch_task *t);

/* batch_task_job describes the task as a job, without memory.  batch_task_by_gmp computes it by
 * GMP; returns nonzero if memory is exhausted.
 */
void batch_task_job(const struct batch_task *t, struct job *job);
int batch_task_by_gmp(const struct batch_task *t, mp_limb_t *const *rp, const mp_limb_t *const *up);

/* Returns true if ranges of the numbers can be computed separately. */
bool batch_task_is_divisible(const struct batch_task *t);

/* Computes the task on several devices, a range of the numbers on each.  Returns false if one
 * device must compute it: there is only one, the task is not divisible, or memory is exhausted. */
bool batch_task_in_shares(const struct batch_task *t, enum outcome *outcome);

/* Computes a power on all devices of a group of servers, if the group has several servers.  Returns
 * false if the task must be computed otherwise. */
bool batch_task_by_members(const struct batch_task *t, enum outcome *outcome);

/* Computes and verifies the task on the device: u[k] and r[k] are memory of the whole operands and
 * results.  No r[k] is a u[k]. */
enum outcome batch_task_compute(const struct batch_task *t, const gpu_mem *r, const gpu_mem *u);

/* Computes some numbers at a time if memory does not suffice for all; downloads results to the
 * host.  OUTCOME_MEMORY if it does not suffice for one number, or the task is not divisible. */
enum outcome batch_task_in_pieces(const struct batch_task *t);

/* Verifies the results for verify:residue and verify:full, which are the same here: GMP computes
 * the task too. */
enum outcome batch_task_verify(const struct batch_task *t);

#endif
