/* SPDX-License-Identifier: LGPL-3.0-or-later
 * Page-locks the pool's memory, so that the link copies to and from it directly. For threads that
 * call the device (lib/process/executor.h). */
#ifndef MPGPU_PINNED_H
#define MPGPU_PINNED_H

#include <stdbool.h>

#include "gpu/gpu.h"

/* Page-locks the parts of {p, bytes} that are not locked yet, so that the device can access them
 * itself. Returns false for memory outside the pool, and if the backend or the system refuses. A
 * server begins to lock; until it has, this returns false.
 *
 * Memory locked by one device is also usable by others of its backend if the backend has
 * locks_for_all. Otherwise the others copy it as other memory. */
bool pinned_reach(const struct gpu_device *dev, const void *p, size_t bytes);

/* Returns how many of the bytes from p one copy may cover. */
size_t pinned_piece(const void *p, size_t bytes);

/* pinned_release unlocks a segment of any device of this backend; pinned_release_all unlocks all
 * that this device has locked. The devices must be done with the memory. */
void pinned_release(const struct gpu_device *dev, size_t segment);
void pinned_release_all(const struct gpu_device *dev);

/* Makes the library copy the pool as other memory from now on; locked memory stays locked. Call it
 * before the gate of one of several devices is shut, since addresses may have new pages then
 * (lib/process/gate.h). */
void pinned_forbid(void);
bool pinned_is_forbidden(void);

/* Forgets what a server is locking, in a child of fork. */
void pinned_renew(void);

#endif
