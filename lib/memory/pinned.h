/* SPDX-License-Identifier: LGPL-3.0-or-later
 * Page-locking of the pool's memory, so that copies over the link go to it and from it
 * directly.  For threads that call the device (lib/process/executor.h). */
#ifndef MPGPU_PINNED_H
#define MPGPU_PINNED_H

#include <stdbool.h>

#include "gpu/gpu.h"

/* What one device has locked, others of its backend reach too where that says so (locks_for_all);
 * others copy it as other memory.
 *
 * Page-lock what of {p, bytes} is not locked yet, so that the device reads and writes it itself.
 * False for memory outside the pool, and where the backend or the system refuses. */
bool pinned_reach(const struct gpu_device *dev, const void *p, size_t bytes);

/* How many of the bytes from p on one copy may take. */
size_t pinned_piece(const void *p, size_t bytes);

/* Unlock a segment of any device of this backend, or all that this device has locked; the devices
 * are done with them. */
void pinned_release(const struct gpu_device *dev, size_t segment);
void pinned_release_all(const struct gpu_device *dev);

/* Before the gate of one of several devices is shut, since addresses may lead to other pages then
 * (lib/process/gate.h): the pool is copied as other memory from now on, and what is locked stays.
 */
void pinned_forbid(void);
bool pinned_is_forbidden(void);

#endif
