/* SPDX-License-Identifier: LGPL-3.0-or-later
 * Accesses the memory of a job's caller: the program's thread that waits for the job. A job
 * names this memory by addresses. The engine (the code that runs the job) never uses such an
 * address itself, because the caller may be in another process. It only uses copies
 * (lib/transfer/transfer.h) and the functions here. Slots of small products are an exception:
 * the caller's own thread fills and empties them (lib/multiply/direct.h).
 * `lease` is the permission to access this memory (lib/process/lease.h): the caller suspends it
 * before a signal handler runs. In the caller's own thread `lease` is NULL: then the memory remains
 * during the call, and the functions do not fail. Any thread may call them. */
#ifndef MPGPU_CALLER_MEMORY_H
#define MPGPU_CALLER_MEMORY_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "gpu/gpu.h"
#include "lib/process/lease.h"

/* Returns an address at which this process can read {p, bytes} until caller_leave; p is not
 * NULL. If there is none, returns NULL, and caller_refusal has the reason. The program may
 * change the memory during that time. */
const void *caller_enter(struct lease *lease, const void *p, size_t bytes);

/* Returns an address at which this process can read and write {p, bytes} of a result until
 * caller_leave; p is not NULL. Returns NULL if the caller has left the job, or if p is an
 * address of another process. */
void *caller_enter_result(struct lease *lease, void *p, size_t bytes);

/* Ends the access. Call it once for each caller_enter or caller_enter_result that has not
 * returned NULL. */
void caller_leave(struct lease *lease);

/* Returns the reason for which one of these functions has returned NULL or false. */
enum gpu_status caller_refusal(struct lease *lease);

/* Copies {from, bytes} from the caller's memory. Returns false on failure (caller_refusal). */
bool caller_read(struct lease *lease, void *to, const void *from, size_t bytes);

/* Copies {from, bytes} to the caller's memory. Returns false on failure (caller_refusal). */
bool caller_write(struct lease *lease, void *to, const void *from, size_t bytes);

/* Adds `add` to a limb of a result, in the caller's own thread. Returns the carry. */
uint64_t caller_add(uint64_t *limb, uint64_t add);

/* Returns true if {p, bytes} is in the pool of this process, or in pages of the caller's pool that
 * are locked. Locks no pages. */
bool caller_is_in_pool(const void *p, size_t bytes);

/* Returns true if the device itself can copy to and from {p, bytes}, which is memory of the
 * caller or of this process. */
bool caller_reaches(const struct gpu_device *dev, const void *p, size_t bytes);

/* Returns the location of {p, bytes} if this is memory of a caller in another process, otherwise 0.
 * It is a place (an offset in shared memory) or a far address (an address with FAR_BIT set,
 * lib/transfer/far.h). Only the device and that process write to such memory. */
uint64_t caller_locate(void *p, size_t bytes);

/* caller_acquire asks the caller to let the device write directly to {p, bytes} of the caller's
 * memory. The caller cannot withdraw this memory until caller_release (lib/process/lease.h).
 * Returns false on failure (caller_refusal). */
bool caller_acquire(struct lease *lease, void *p, size_t bytes);
bool caller_release(struct lease *lease);

#endif
