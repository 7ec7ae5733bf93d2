/* SPDX-License-Identifier: LGPL-3.0-or-later
 * The verdict of a check of batches on the device (kernels/check/verdict.h). A check fails unless
 * each of its launches has run once, for this operation, without an error.
 *
 * Order of calls: verdict_begin; launches, each with verdict_mem and its own verdict_pass;
 * verdict_end. If a batch stays on the device, a launch between its computation and its check
 * computes its residue (lib/device/kept.h). The verdict covers this launch, too. */
#ifndef MPGPU_VERDICT_H
#define MPGPU_VERDICT_H

#include "lib/device/context.h"

/* Allocates the verdict's words, if needed, and begins a check. */
enum gpu_status verdict_begin(struct context *s);

static inline gpu_mem verdict_mem(const struct context *s) {
    return s->slot[SLOT_VERDICT].mem;
}

/* Returns the argument `pass` of the check's next launch. `parts` is the launch's number of groups,
 * unless the kernel documents another number. */
uint32_t verdict_pass(struct context *s, uint64_t parts);

/* Does the same as verdict_pass, for a launch of `rows` rows of groups, with `parts` groups each.
 */
uint32_t verdict_pass_rows(struct context *s, uint64_t parts, unsigned rows);

/* Waits for all work in the queue. Returns GPU_OK if the verdict is good. Otherwise returns
 * GPU_FAILED, with a warning in the log, or the status of a failed call. */
enum gpu_status verdict_end(struct context *s);

#endif
