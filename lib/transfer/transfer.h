/* SPDX-License-Identifier: LGPL-3.0-or-later
 * Between host memory and the device, in a queue of its own, so that the link works while
 * kernels run: the pool's memory directly, what is elsewhere by a belt of page-locked
 * memory (lib/transfer/staging.h). */
#ifndef MPGPU_TRANSFER_H
#define MPGPU_TRANSFER_H

#include "gpu/gpu.h"

struct transfer;

/* is_another: there is one on this device. */
int transfer_open(const struct gpu_device *dev, int is_another, struct transfer **tp);
void transfer_close(struct transfer *t);

/* Upload into memory that nothing in `queue` uses yet; the copy is ordered before whatever
 * is put into `queue` afterwards.  src must not change before that has been waited for if
 * it is the pool's; else it may once this returns. */
int transfer_up(struct transfer *t, const struct gpu_queue *queue, gpu_mem dst, size_t offset,
                const void *src, size_t bytes);

/* Download; complete on return, and so is everything put into `queue` before,
 * uploads included: a failure of theirs is told here at the latest. */
int transfer_down(struct transfer *t, const struct gpu_queue *queue, void *dst, gpu_mem src,
                  size_t offset, size_t bytes);

/* A download in two steps, for work that need not hold it up: what is put into `queue`
 * between the first and the second does not come before it, but is complete with it. */
int transfer_begin_down(struct transfer *t, const struct gpu_queue *queue, void *dst, gpu_mem src,
                        size_t offset, size_t bytes);
int transfer_end_down(struct transfer *t, const struct gpu_queue *queue);

/* Between them: does the result come without the host's help, which has time meanwhile? */
int transfer_comes_directly(const struct transfer *t);

/* Wait for the copies under way, after a failure: none is known of afterwards. */
int transfer_settle(struct transfer *t);

/* Then: clear the staging memory, where the option asks for it. */
void transfer_wipe(struct transfer *t);

/* After a failure, once the copies under way have come to their end: the device writes no
 * memory of the program's any more. */
void transfer_release(struct transfer *t);

#endif
