/* SPDX-License-Identifier: LGPL-3.0-or-later
 * A job names memory of its caller by addresses. The engine accesses this memory only by copies
 * (lib/transfer/transfer.h) and by the functions here, and never uses such an address itself: the
 * caller may be in another process. Slots of small products are an exception: the caller's own
 * thread fills and empties them (lib/multiply/direct.h).
 *
 * `hold` is the stream's (lib/process/hold.h). In the caller's own thread it is NULL: the memory
 * then stays during the call, and the functions do not fail. Any thread may call them. */
#ifndef MPGPU_CALLER_MEMORY_H
#define MPGPU_CALLER_MEMORY_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "gpu/gpu.h"
#include "lib/process/hold.h"

/* Returns an address at which this process can read {p, bytes} until caller_leave; p is not NULL.
 * Returns NULL if there is none, with caller_refusal as the reason. The program may change the
 * memory during that time. */
const void *caller_enter(struct hold *hold, const void *p, size_t bytes);

/* Returns an address at which this process can read and write {p, bytes} of a result until
 * caller_leave; p is not NULL. Returns NULL if the caller has left, and for far addresses. */
void *caller_enter_result(struct hold *hold, void *p, size_t bytes);

/* Call it once after each caller_enter or caller_enter_result that has not returned NULL. */
void caller_leave(struct hold *hold);

/* Returns why one of these functions has returned NULL or false. */
enum gpu_status caller_refusal(struct hold *hold);

/* Copies {from, bytes} from the caller's memory. Returns false if the caller has left. */
bool caller_read(struct hold *hold, void *to, const void *from, size_t bytes);

/* Copies {from, bytes} to the caller's memory. Returns false if the caller has left. */
bool caller_write(struct hold *hold, void *to, const void *from, size_t bytes);

/* Adds to a limb of a result, in the caller's own thread.  Returns the carry. */
uint64_t caller_add(uint64_t *limb, uint64_t add);

/* Returns true if the device itself can copy {p, bytes}, memory of the caller or of this process.
 */
bool caller_reaches(const struct gpu_device *dev, const void *p, size_t bytes);

/* Returns the place or far address of {p, bytes} in the memory of a caller in another process.
 * Besides the device, only that process writes there. Returns 0 for other memory. */
uint64_t caller_place(void *p, size_t bytes);

/* As hold_acquire and hold_release, before and after the device writes such memory. caller_acquire
 * returns false if the caller has left. */
bool caller_acquire(struct hold *hold, void *p, size_t bytes);
bool caller_release(struct hold *hold);

#endif
