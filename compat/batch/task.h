/* SPDX-License-Identifier: LGPL-3.0-or-later
 * A task is one operation on batches. A task moves the operands to the device, or to the host if
 * GMP computes it. Then it stores the results in the result batches. */
#ifndef MPGPU_BATCH_TASK_H
#define MPGPU_BATCH_TASK_H

#include "compat/batch/batch.h"
#include "compat/intercept/call.h"
#include "lib/job/job.h"

struct batch_task {
    enum job_op op;
    unsigned operands, results;
    mpgpu_batch *u[JOB_OPERANDS]; /* two operands may be the same batch */
    mpgpu_batch *r[JOB_RESULTS];  /* NULL if not wanted; may also be an operand */
    uint64_t parameter[JOB_PARAMETERS];
    const struct expression *e; /* only for JOB_batch_expression */
};

/* Returns true if the arguments are valid: no operand is NULL, no batch receives two results,
 * counts and lengths match. */
bool batch_task_fits(const struct batch_task *t);

/* Computes the task: on the device if its size (task.c, work_of) reaches the threshold `batch`,
 * otherwise or if the device fails with GMP.
 * Returns 0 or an error code, and sets the text of mpgpu_error. The error MPGPU_ARGUMENTS changes
 * no batch. After other errors, results are unspecified or lost. */
int batch_task_perform(const struct batch_task *t);

/* ---- within compat/batch */

/* Returns the device memory that receives result k. */
struct batch_store *batch_task_store(const struct batch_task *t, unsigned k);

/* batch_task_alloc allocates host memory for each result; unwanted results get NULL. It returns
 * false if memory is exhausted. batch_task_free frees that memory. */
bool batch_task_alloc(const struct batch_task *t, mp_limb_t **rp);
void batch_task_free(const struct batch_task *t, mp_limb_t **rp);

/* batch_task_try uploads the operands and computes the results on the thread's bound device.
 * batch_task_keep then replaces the old numbers of the result batches by the computed results. */
enum outcome batch_task_try(const struct batch_task *t);
void batch_task_keep(const struct batch_task *t);

/* batch_task_job describes the task as a job, without addresses of operands and results.
 * batch_task_by_gmp computes it with GMP; returns nonzero if memory is exhausted. */
void batch_task_job(const struct batch_task *t, struct job *job);
int batch_task_by_gmp(const struct batch_task *t, mp_limb_t *const *rp, const mp_limb_t *const *up);

/* Returns true if the task can be computed for each range of its numbers separately. */
bool batch_task_is_divisible(const struct batch_task *t);

/* Computes the task on several devices, a range of the numbers on each.  Returns false if one
 * device must compute the task: there is only one, the task is too small or not divisible, option
 * `verify` requires GMP's results, or memory is exhausted. */
bool batch_task_in_shards(const struct batch_task *t, enum outcome *outcome);

/* Computes a modular power on all devices of a group of mpgpu-serve processes
 * (doc/design/group.md). Returns false if there is no group, the task is no divisible modular power
 * (secret powers do not count), option `verify` requires GMP's results, or memory is exhausted. */
bool batch_task_by_members(const struct batch_task *t, enum outcome *outcome);

/* Computes and verifies the task on the device. u[k] and r[k] are the device memory of operand k
 * and result k. No result shares memory with another one or with an operand. */
enum outcome batch_task_compute(const struct batch_task *t, const gpu_mem *r, const gpu_mem *u);

/* Computes a task whose numbers exceed device memory, a few numbers at a time. The results are on
 * the host. Returns OUTCOME_MEMORY if even one number exceeds device memory, if the task cannot be
 * divided, or if host memory is exhausted or an operand is lost. */
enum outcome batch_task_in_pieces(const struct batch_task *t);

/* Computes a product of matrices that exceeds device memory, in blocks of rows and columns. The
 * operands and the result are on the host. */
enum outcome batch_task_matrix_in_pieces(const struct batch_task *t);

/* Verifies the results for the options verify:residue and verify:full: in both cases GMP computes
 * the task, too, and the results are compared. */
enum outcome batch_task_verify(const struct batch_task *t);

#endif
