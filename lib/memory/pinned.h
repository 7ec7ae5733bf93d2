/* SPDX-License-Identifier: LGPL-3.0-or-later
 * Page-locks the pool (the library's host memory for results), so that devices can copy from and to
 * it directly. Only threads that call the device (lib/process/executor.h) may call pinned_reach,
 * pinned_release and pinned_release_all. */
#ifndef MPGPU_PINNED_H
#define MPGPU_PINNED_H

#include <stdbool.h>

#include "gpu/gpu.h"

/* Page-locks the segments of {p, bytes} that are not locked yet, and returns true if the device can
 * access the memory directly. Returns false for memory outside the pool, and if the backend or the
 * system refuses to lock. A server locks asynchronously: until it has finished, this function
 * returns false.
 *
 * Memory that one device has locked is also accessible to other devices of its backend if the
 * backend has locks_for_all. Otherwise the other devices copy it like memory that is not locked. */
bool pinned_reach(const struct gpu_device *dev, const void *p, size_t bytes);

/* Returns how many of the `bytes` bytes from p are in one segment. A copy must not cross segments,
 * because they are locked separately. */
size_t pinned_piece(const void *p, size_t bytes);

/* pinned_release unlocks a segment that any device of this backend has locked. pinned_release_all
 * unlocks all segments that this device has locked. No device may access the memory any more. */
void pinned_release(const struct gpu_device *dev, size_t segment);
void pinned_release_all(const struct gpu_device *dev);

/* From now on, devices copy the pool like memory that is not locked; locked memory stays locked.
 * Call it before the library stops using a device that does not answer. The pool's addresses may
 * then get new pages (lib/process/access_guard.h), which are not locked. */
void pinned_forbid(void);
bool pinned_is_forbidden(void);

/* Call it in a child of fork: forgets which segment the server is locking for the parent. */
void pinned_renew(void);

#endif
