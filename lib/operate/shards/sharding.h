/* SPDX-License-Identifier: LGPL-3.0-or-later
 * Decides whether several devices may share a product or a composite operation. Has the lock that
 * admits only one shared operation at a time. */
#ifndef MPGPU_SHARDING_H
#define MPGPU_SHARDING_H

#include <stdbool.h>
#include <stddef.h>

/* Returns the fewest limbs of a product's result for which two devices share the product: the
 * option `shard`. */
size_t sharding_limbs(void);

/* Returns true if several devices may share the next operation of this thread: there are several
 * devices, and neither an option nor a state of the program forbids it. */
bool sharding_is_allowed(void);

/* Takes the lock for a shared operation. Returns false if another thread has it; otherwise the
 * caller must call sharding_end. */
bool sharding_begin(void);
void sharding_end(void);

/* Returns true if the access guard (lib/process/access_guard.h) of a device was closed since
 * sharding_begin, because the device did not answer. Such a device may still read memory that other
 * devices retain for it, so this memory is never released. No operation is shared any more, and
 * later calls also return true, as after too many wrong results. */
bool sharding_is_over(void);

/* Counts a wrong result for which no single device can be blamed. After several wrong results no
 * operation is shared any more. */
void sharding_count_wrong(void);

#endif
