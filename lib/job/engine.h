/* SPDX-License-Identifier: LGPL-3.0-or-later
 * The engine's side of a job: choosing devices, gathering small products, sharing, cutting into
 * pieces. Only job_run and limbs_mul_several call it to run a job. */
#ifndef MPGPU_ENGINE_H
#define MPGPU_ENGINE_H

#include "lib/job/job.h"
#include "lib/job/limbs.h"

/* Runs a job that fits, and returns OUTCOME_DONE, or why it failed; results are then undefined. Any
 * thread.
 * Operands and results in host memory must have been touched, and results must overlap no operand.
 * The engine accesses host memory only through lib/transfer/caller_memory.h.
 * The result of mul_1 may be a complement (JOB_IS_COMPLEMENT); the result of mulmod_bnm1 may be
 * B^n - 1 instead of 0.
 * With verify:device, operands of batches in host memory must have residues. The engine sets the
 * result's residue, and the caller compares it. */
enum outcome engine_run(struct job *job);

/* As engine_run, for an operation on batches in this process's memory. With verify:device, sets the
 * residues of operands and compares those of results. */
enum outcome engine_run_staged(struct job *job);

/* As engine_run, for an operation on limbs, and for an operation on device memory. */
enum outcome engine_run_limbs(struct job *job);
enum outcome engine_run_store(struct job *job);

/* Returns the bytes that the watchdog counts for a job that fits: at least the bytes that it
 * touches; for a view, one for each step of an orbit. */
size_t engine_bytes(const struct job *job);

/* As session_run, with *job up to its expression, or all of it. If the devices are another
 * process's, that process chooses the device for a job that names no device memory. */
enum outcome engine_submit(enum gpu_status (*work)(struct context *s, void *job), struct job *job,
                           size_t size, size_t bytes);

/* Returns true if an open device would compute this product in one launch with others.  Does not
 * call the device. */
bool engine_is_small(const struct limbs_factors *f);

/* Computes several small products, at most LIMBS_SEVERAL, in one launch or two. Returns true if it
 * ran: *outcome is OUTCOME_DONE, or why some failed. Returns false if the device computes each by
 * itself. */
bool engine_run_several(const struct limbs_factors *f, unsigned count, enum outcome *outcome);

/* Returns the rn >= least for which the product of un and vn limbs modulo B^rn - 1 takes less time
 * than the whole product, un + vn > rn. Returns 0 if there is none. Does not call a device. */
size_t engine_bnm1_size(size_t least, size_t un, size_t vn);

/* The engine's functions for an operation on batches. `bytes` returns what the watchdog counts, at
 * least the bytes touched. `run` computes after the known-answer tests of its kernels, and checks
 * as the option `verify` says. */
struct recipe {
    size_t (*bytes)(const struct job *job);
    enum gpu_status (*run)(struct context *s, const struct job *job);
    enum stats_way way;
};

/* Returns the recipe of an operation on batches. */
const struct recipe *engine_recipe(const struct job *job);

/* Runs an operation on limbs in a stream's thread: uploads, computes, checks, downloads. */
enum gpu_status recipe_limbs(struct context *s, void *job);

#endif
