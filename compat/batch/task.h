/* SPDX-License-Identifier: LGPL-3.0-or-later
 * An operation on batches: its operands brought to where it is done, on the device or by GMP on the
 * host, and what becomes of its results. */
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

/* Are all operands there, no result twice, and do their counts and lengths fit together? */
bool batch_task_fits(const struct batch_task *t);

/* From the limbs of u[0] on that the threshold `batch` says, on the device.  0, or after
 * mpgpu_error has its text one of include/mpgpu.h's codes; of MPGPU_ARGUMENTS no batch has changed,
 * after others a result may hold anything or be lost. */
int batch_task_perform(const struct batch_task *t);

/* ---- within compat/batch */

/* The memory that result k is made in. */
struct batch_store *batch_task_store(const struct batch_task *t, unsigned k);

/* Limbs for each result, from malloc, NULL where there is none; false without memory. */
bool batch_task_alloc(const struct batch_task *t, mp_limb_t **rp);
void batch_task_free(const struct batch_task *t, mp_limb_t **rp);

/* On the device that the thread is bound to: operands brought there, and results beside what was,
 * until batch_task_keep. */
enum outcome batch_task_try(const struct batch_task *t);
void batch_task_keep(const struct batch_task *t);

/* The job, without memory; and where it computes by GMP, nonzero if GMP's functions get no memory.
 */
void batch_task_job(const struct batch_task *t, struct job *job);
int batch_task_by_gmp(const struct batch_task *t, mp_limb_t *const *rp, const mp_limb_t *const *up);

/* Can it be cut by the numbers? */
bool batch_task_is_divisible(const struct batch_task *t);

/* By several devices, each for a share of the numbers.  False: by one, since there is one, the task
 * can't be cut, or memory did not suffice. */
bool batch_task_in_shares(const struct batch_task *t, enum outcome *outcome);

/* A power by all devices of a group of servers, if others' are in use.  Returns false if it is not
 * to be computed so. */
bool batch_task_by_members(const struct batch_task *t, enum outcome *outcome);

/* On the device, of memory that holds all of u[k], in that of r[k], which is none of them; and
 * verified. */
enum outcome batch_task_compute(const struct batch_task *t, const gpu_mem *r, const gpu_mem *u);

/* The same where memory does not suffice, for some of the numbers at a time: results come to the
 * host.  OUTCOME_MEMORY where it does not suffice for one either, or the task can't be cut. */
enum outcome batch_task_in_pieces(const struct batch_task *t);

/* verify:residue and verify:full, which are the same here: GMP computes it too. */
enum outcome batch_task_verify(const struct batch_task *t);

#endif
