/* SPDX-License-Identifier: LGPL-3.0-or-later
 * Copies between host memory and the device. Long copies have a queue of their own, so that they
 * overlap kernels. Page-locked memory of the pool (the library's allocator) is copied directly,
 * other memory through the staging ring (lib/transfer/staging.h). */
#ifndef MPGPU_TRANSFER_H
#define MPGPU_TRANSFER_H

#include <stdbool.h>

#include "gpu/gpu.h"
#include "lib/process/lease.h"

struct transfer;

/* Opens a transfer for a context. `lease` is the permission to access the program's memory
 * (lib/process/lease.h), and must outlive the transfer. */
enum gpu_status transfer_open(const struct gpu_device *dev, struct lease *lease,
                              struct transfer **tp);
void transfer_close(struct transfer *t);

/* Uploads into device memory that no command in `queue` uses yet. Commands put into `queue`
 * afterwards wait for the copy. If src is in the pool, it must not change until the caller has
 * waited for these commands. */
enum gpu_status transfer_up(struct transfer *t, const struct gpu_queue *queue, gpu_mem dst,
                            size_t offset, const void *src, size_t bytes);

/* Uploads in two steps. `queue` waits for the copies only from transfer_end_up on. Sets
 * *is_begun to false, and does nothing, if the host memory cannot be copied directly. One
 * transfer_end_up completes all uploads begun before. */
enum gpu_status transfer_begin_up(struct transfer *t, gpu_mem dst, size_t offset, const void *src,
                                  size_t bytes, bool *is_begun);
enum gpu_status transfer_end_up(struct transfer *t, const struct gpu_queue *queue);

/* Copies from another device (gpu_peer_copy) into memory that no command in `queue` uses yet.
 * The copy has a queue of its own. Commands put into `queue` afterwards wait for the copy. */
enum gpu_status transfer_from_peer(struct transfer *t, const struct gpu_queue *queue, gpu_mem dst,
                                   size_t offset, gpu_device_impl *from, gpu_mem src,
                                   size_t src_offset, size_t bytes);

/* Downloads. On return the download is complete, and so are all earlier commands of `queue`. Also
 * reports the failure of an earlier upload if no other call has reported it. */
enum gpu_status transfer_down(struct transfer *t, const struct gpu_queue *queue, void *dst,
                              gpu_mem src, size_t offset, size_t bytes);

/* Download in two steps, up to TRANSFER_DOWNLOADS at once. transfer_end_down completes all of
 * them, and all commands put into `queue` before it.
 * Commands put into `queue` after a download has begun do not delay this download unless it is
 * short. A short download does not delay earlier commands.
 * If transfer_begin_down fails, do not call transfer_end_down: a failing call forgets all
 * downloads. After GPU_NOMEM, the device has stopped writing as well. */
enum { TRANSFER_DOWNLOADS = 3 };
enum gpu_status transfer_begin_down(struct transfer *t, const struct gpu_queue *queue, void *dst,
                                    gpu_mem src, size_t offset, size_t bytes);
enum gpu_status transfer_end_down(struct transfer *t, const struct gpu_queue *queue);

/* Returns true if a copy from or to {host, bytes} is so short that it goes through the kernels'
 * queue. */
bool transfer_is_short(const struct transfer *t, const void *host, size_t bytes);

/* Sets how many contexts of this device are in use, this one included. Call it before an
 * operation. */
void transfer_share(struct transfer *t, unsigned contexts);

/* Call it between transfer_begin_down and transfer_end_down. Returns true if the device does the
 * downloads alone, so that the host has time for other work. */
bool transfer_comes_directly(const struct transfer *t);

/* Waits for all copies in progress after a failure, and forgets them. */
enum gpu_status transfer_drain(struct transfer *t);

/* Returns the memory of the staging ring, STAGING_BYTES. */
char *transfer_staging(struct transfer *t);

/* Clears the staging ring, if the option `clear` is set. Call it after transfer_drain. */
void transfer_wipe(struct transfer *t);

/* Call it after a failure, when no copy is in progress: releases the program's memory, to which
 * the device no longer writes. */
void transfer_release(struct transfer *t);

#endif
