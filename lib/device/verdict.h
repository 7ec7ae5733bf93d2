/* SPDX-License-Identifier: LGPL-3.0-or-later
 * The verdict of a check of batches on the device (kernels/check/verdict.h).  A check fails unless
 * each of its launches has run once, for this operation, without an error.
 *
 * Order of calls: verdict_begin; launches, each with verdict_mem and its own verdict_pass;
 * verdict_end.  Of a batch that stays on the device the residue is computed too
 * (lib/device/kept.h), by a launch between what computes the batch and its check, which is part of
 * the verdict. */
#ifndef MPGPU_VERDICT_H
#define MPGPU_VERDICT_H

#include "lib/device/context.h"

/* Allocates the words, if there are none, and begins a check. */
enum gpu_status verdict_begin(struct context *s);

static inline gpu_mem verdict_mem(const struct context *s) {
    return s->slot[SLOT_VERDICT].mem;
}

/* Returns the `pass` of the next launch.  `parts`: the number of its groups, unless the kernel says
 * otherwise. */
uint32_t verdict_pass(struct context *s, uint64_t parts);

/* The same for a launch of `rows` rows of groups, `parts` groups in each. */
uint32_t verdict_pass_rows(struct context *s, uint64_t parts, unsigned rows);

/* Waits for all that is in the queue.  Returns GPU_OK if the verdict is good; otherwise GPU_FAILED,
 * with a warning in the log, or the status of a failed call. */
enum gpu_status verdict_end(struct context *s);

#endif
