/* SPDX-License-Identifier: LGPL-3.0-or-later
 * Copies between host memory and the device.  Long ones have a queue of their own, so that the link
 * works while kernels run.  The pool's memory is copied directly, other memory through the staging
 * ring (lib/transfer/staging.h).  Functions that return an int return a gpu_status. */
#ifndef MPGPU_TRANSFER_H
#define MPGPU_TRANSFER_H

#include <stdbool.h>

#include "gpu/gpu.h"
#include "lib/process/hold.h"

struct transfer;

/* `hold` is the stream's, and outlives it.  is_another: the device has one already. */
enum gpu_status transfer_open(const struct gpu_device *dev, struct hold *hold, bool is_another,
                              struct transfer **tp);
void transfer_close(struct transfer *t);

/* Upload into memory that nothing in `queue` uses yet.  The copy precedes what is put into `queue`
 * afterwards.  If src is the pool's, it must not change before that has been waited for. */
enum gpu_status transfer_up(struct transfer *t, const struct gpu_queue *queue, gpu_mem dst,
                            size_t offset, const void *src, size_t bytes);

/* The same in two steps, between which `queue` does not wait.  False in *is_begun where the host's
 * memory is not copied directly: then nothing has begun.  One end serves all that have begun. */
enum gpu_status transfer_begin_up(struct transfer *t, gpu_mem dst, size_t offset, const void *src,
                                  size_t bytes, bool *is_begun);
enum gpu_status transfer_end_up(struct transfer *t, const struct gpu_queue *queue);

/* A copy from another device (gpu_peer_copy), in a queue of its own: into memory that nothing in
 * `queue` uses yet.  It precedes what is put into `queue` afterwards. */
enum gpu_status transfer_from_peer(struct transfer *t, const struct gpu_queue *queue, gpu_mem dst,
                                   size_t offset, gpu_device_impl *from, gpu_mem src,
                                   size_t src_offset, size_t bytes);

/* Download.  It is complete on return, and so is all that was put into `queue` before; failures of
 * earlier uploads are reported here at the latest. */
enum gpu_status transfer_down(struct transfer *t, const struct gpu_queue *queue, void *dst,
                              gpu_mem src, size_t offset, size_t bytes);

/* A download in two steps, or up to so many, which end together.  What is put into `queue` between
 * begin and end is complete with them.  It does not delay those that were begun before; nor does a
 * short one delay what is put into the queue before.  A begin that fails has no end: it forgets all
 * that were begun, as an end that fails does; where memory lacked, they are over then. */
enum { TRANSFER_DOWNLOADS = 3 };
enum gpu_status transfer_begin_down(struct transfer *t, const struct gpu_queue *queue, void *dst,
                                    gpu_mem src, size_t offset, size_t bytes);
enum gpu_status transfer_end_down(struct transfer *t, const struct gpu_queue *queue);

/* Is a copy of so many bytes short, so that nothing overlaps it?  Only where the device is shared.
 */
bool transfer_is_short(const struct transfer *t, size_t bytes);

/* Before an operation: are other contexts of this device at work? */
void transfer_share(struct transfer *t, bool is_shared);

/* Between them: every download comes without help of the host, which has time for other work. */
bool transfer_comes_directly(const struct transfer *t);

/* After a failure: wait for the copies under way, and forget them. */
enum gpu_status transfer_settle(struct transfer *t);

/* Returns the memory of the staging ring, STAGING_BYTES. */
char *transfer_staging(struct transfer *t);

/* Then: clear the staging ring, where the option `clear` asks for it. */
void transfer_wipe(struct transfer *t);

/* After a failure, when no copy is under way: the device writes the program's memory no more. */
void transfer_release(struct transfer *t);

#endif
