/* SPDX-License-Identifier: LGPL-3.0-or-later
 * The engine's side of a job: devices, several products at once, several devices, pieces.
 * Calls to run a job come from job_run and limbs_mul_several alone. */
#ifndef MPGPU_ENGINE_H
#define MPGPU_ENGINE_H

#include "lib/job/job.h"
#include "lib/job/limbs.h"

/* Runs a job that fits.  Operands and results in host memory have been touched, and results overlap
 * no operand.  Returns OUTCOME_DONE, or why it was not done; results hold anything then.  The
 * result of mul_1 may be a complement (JOB_IS_COMPLEMENT), that of mulmod_bnm1 B^n - 1 instead of
 * 0.  Operands of batches in host memory have residues, if verify:device is in force; that of the
 * result is set, and compared by the caller.  The engine reads and writes host memory by
 * lib/transfer/caller_memory.h alone.  Any thread. */
enum outcome engine_run(struct job *job);

/* The same for an operation on batches in memory of this process.  Sets residues of operands, if
 * verify:device is in force, and compares those of results. */
enum outcome engine_run_staged(struct job *job);

/* The same for an operation on limbs, and for one on memory of a device. */
enum outcome engine_run_limbs(struct job *job);
enum outcome engine_run_store(struct job *job);

/* Returns the bytes that the watchdog counts for a job that fits: at least what it touches; of a
 * view, one for each step of an orbit. */
size_t engine_bytes(const struct job *job);

/* As session_run, with *job up to its expression or with it.  If the devices are another process's,
 * that chooses among them for a job that names no memory of a device. */
enum outcome engine_submit(enum gpu_status (*work)(struct context *s, void *job), struct job *job,
                           size_t size, size_t bytes);

/* Returns true if an open device would compute this product in one launch with others.  Does not
 * call the device. */
bool engine_is_small(const struct limbs_factors *f);

/* Computes several small products, LIMBS_SEVERAL at most, in one launch or two.  Returns true if
 * *outcome is OUTCOME_DONE, or says why not all were done; false if the device makes each by
 * itself. */
bool engine_run_several(const struct limbs_factors *f, unsigned count, enum outcome *outcome);

/* Returns the rn >= least for which the product modulo B^rn - 1 takes less time for operands of un
 * and vn limbs than the whole product, un + vn > rn; 0 if there is none.  Does not call a device.
 */
size_t engine_bnm1_size(size_t least, size_t un, size_t vn);

/* What the engine knows of an operation on batches.  bytes: what the watchdog counts, at least what
 * they touch; run: after the known answers of what computes it, checked as `verify` says, to the
 * end. */
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
