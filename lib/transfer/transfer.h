/* SPDX-License-Identifier: LGPL-3.0-or-later
 * Copies between host memory and the device. Long copies have a queue of their own, so that the
 * link works while kernels run. The pool's memory is copied directly, other memory through the
 * staging ring (lib/transfer/staging.h). Functions that return an int return a gpu_status. */
#ifndef MPGPU_TRANSFER_H
#define MPGPU_TRANSFER_H

#include <stdbool.h>

#include "gpu/gpu.h"
#include "lib/process/hold.h"

struct transfer;

/* Opens a transfer. `hold` is the stream's, and must outlive it. */
enum gpu_status transfer_open(const struct gpu_device *dev, struct hold *hold,
                              struct transfer **tp);
void transfer_close(struct transfer *t);

/* Uploads into memory that no work in `queue` uses yet. Work that is put into `queue` afterwards
 * waits for the copy. If src is the pool's, it must not change until the caller has waited for that
 * work. */
enum gpu_status transfer_up(struct transfer *t, const struct gpu_queue *queue, gpu_mem dst,
                            size_t offset, const void *src, size_t bytes);

/* An upload in two steps, between which `queue` does not wait. Sets *is_begun to false if the
 * host's memory cannot be copied directly: nothing has begun then. One end serves all begun
 * uploads. */
enum gpu_status transfer_begin_up(struct transfer *t, gpu_mem dst, size_t offset, const void *src,
                                  size_t bytes, bool *is_begun);
enum gpu_status transfer_end_up(struct transfer *t, const struct gpu_queue *queue);

/* Copies from another device (gpu_peer_copy), in a queue of its own, into memory that no work in
 * `queue` uses yet. Work that is put into `queue` afterwards waits for the copy. */
enum gpu_status transfer_from_peer(struct transfer *t, const struct gpu_queue *queue, gpu_mem dst,
                                   size_t offset, gpu_device_impl *from, gpu_mem src,
                                   size_t src_offset, size_t bytes);

/* Downloads. On return the download is complete, and so is all earlier work of `queue`. Reports
 * failures of earlier uploads at the latest. */
enum gpu_status transfer_down(struct transfer *t, const struct gpu_queue *queue, void *dst,
                              gpu_mem src, size_t offset, size_t bytes);

/* Downloads in two steps, up to TRANSFER_DOWNLOADS at once, which end together. Work that is put
 * into `queue` between begin and end is complete after the end.
 * Such work does not delay downloads begun before it, and a short download does not delay earlier
 * work.
 * After a begin that fails, no end must follow: it forgets all begun downloads, as an end that
 * fails does. If memory was short (GPU_NOMEM), they are over then. */
enum { TRANSFER_DOWNLOADS = 3 };
enum gpu_status transfer_begin_down(struct transfer *t, const struct gpu_queue *queue, void *dst,
                                    gpu_mem src, size_t offset, size_t bytes);
enum gpu_status transfer_end_down(struct transfer *t, const struct gpu_queue *queue);

/* Returns true if a copy of `bytes` bytes is short, so that nothing overlaps it. False if the
 * device is not shared. */
bool transfer_is_short(const struct transfer *t, size_t bytes);

/* Call it before an operation. `contexts` of this device are at work, this one included. */
void transfer_share(struct transfer *t, unsigned contexts);

/* Call it between begin and end. Returns true if no download needs the host's help, so that the
 * host has time for other work. */
bool transfer_comes_directly(const struct transfer *t);

/* After a failure: waits for the copies under way, and forgets them. */
enum gpu_status transfer_settle(struct transfer *t);

/* Returns the memory of the staging ring, STAGING_BYTES. */
char *transfer_staging(struct transfer *t);

/* Clears the staging ring, if the option `clear` is set. Call it after transfer_settle. */
void transfer_wipe(struct transfer *t);

/* After a failure, when no copy is under way: the device does not write the program's memory any
 * more. */
void transfer_release(struct transfer *t);

#endif
