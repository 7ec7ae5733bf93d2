/* SPDX-License-Identifier: LGPL-3.0-or-later
 * The engine runs a job: it chooses devices, launches small products together, splits long
 * operations across devices, and divides operations that exceed the memory. Besides job_run and
 * limbs_mul_several, servers use it (tools/serve). */
#ifndef MPGPU_ENGINE_H
#define MPGPU_ENGINE_H

#include "lib/job/job.h"
#include "lib/job/limbs.h"

/* Runs a job that job_fits accepts. Returns OUTCOME_DONE, or the reason of its failure; results are
 * then undefined. Any thread may call it. Operands and results in host memory must have been
 * touched (lib/memory/touch.h), and results must overlap no operand. The engine accesses host
 * memory only through lib/transfer/caller_memory.h.
 *
 * The caller must correct two results: that of mul_1 may be a complement (JOB_IS_COMPLEMENT), and
 * that of mulmod_bnm1 may be B^n - 1 instead of 0, where B = 2^64.
 *
 * With verify:device, the caller must set the residues of operands that are batches in host memory.
 * The engine sets the residue of the result, and the caller compares the result with it. */
enum outcome engine_run(struct job *job);

/* Does the same as engine_run, for an operation on batches in this process's memory. With
 * verify:device, sets the residues of operands and compares those of results. */
enum outcome engine_run_staged(struct job *job);

/* Do the same as engine_run for one kind of job: engine_run_limbs for an operation on limbs,
 * engine_run_store for an operation on device memory. */
enum outcome engine_run_limbs(struct job *job);
enum outcome engine_run_store(struct job *job);

/* Returns the bytes from which the watchdog computes the time limit of a job. They are an estimate
 * of the bytes that the job accesses; job_fits must accept the job. For a view of the Mandelbrot
 * set, counts one byte for each step of an orbit. */
size_t engine_bytes(const struct job *job);

/* Calls session_run or session_run_job for `work` with a copy of the first `size` bytes of *job as
 * its argument. If another process owns the devices, that process chooses the device, except with
 * verify:residue or verify:full, and for jobs with tables or device memory. */
enum outcome engine_submit(enum gpu_status (*work)(struct context *s, void *job), struct job *job,
                           size_t size, size_t bytes);

/* Returns true if an open device would compute the product of *f in one launch with other products.
 * Does not call the device. */
bool engine_is_small(const struct limbs_factors *f);

/* Computes up to LIMBS_SEVERAL small products in few launches. Returns true if the launches ran;
 * then sets *outcome to OUTCOME_DONE or to the reason why some products failed. Returns false if
 * the caller must compute each product by a call of its own. */
bool engine_run_several(const struct limbs_factors *f, unsigned count, enum outcome *outcome);

/* Returns a size rn with least <= rn < un + vn such that the product modulo B^rn - 1 (B = 2^64)
 * takes less time than the whole product of un and vn limbs. Returns 0 if there is none. Does not
 * call a device. */
size_t engine_bnm1_size(size_t least, size_t un, size_t vn);

/* The functions for one operation on batches. `bytes` returns the bytes from which the watchdog
 * computes the job's time limit. `run` tests the kernels with known answers, computes the results,
 * and checks them if the option `verify` requires it. */
struct recipe {
    size_t (*bytes)(const struct job *job);
    enum gpu_status (*run)(struct context *s, const struct job *job);
    enum stats_way way;
};

/* The functions for products of polynomials (lib/job/recipe_poly.c). */
extern const struct recipe recipe_poly;

/* Returns the functions that compute an operation on batches. */
const struct recipe *engine_recipe(const struct job *job);

/* Computes an operation on limbs: uploads the operands, computes, checks, and downloads the result.
 * Runs in the library's thread that calls the device for this job; the program's threads call no
 * device. */
enum gpu_status recipe_limbs(struct context *s, void *job);

#endif
