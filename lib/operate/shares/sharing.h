/* SPDX-License-Identifier: LGPL-3.0-or-later
 * Decides whether several devices may share a product or composite operation, and has the lock that
 * admits one shared operation at a time. */
#ifndef MPGPU_SHARING_H
#define MPGPU_SHARING_H

#include <stdbool.h>
#include <stddef.h>

/* Returns the least limbs of a product's result for sharing it between two devices: the option
 * `shard`. */
size_t sharing_limbs(void);

/* Returns true if several devices may share the next operation of this thread: there are several
 * devices, and neither an option nor a state of the program forbids it. */
bool sharing_is_allowed(void);

/* Takes the lock for a shared operation. Returns false if another thread has it; otherwise the
 * caller must call sharing_end. */
bool sharing_begin(void);
void sharing_end(void);

/* Returns true if a device has not answered since sharing_begin (its gate is shut,
 * lib/process/gate.h). Such a device may still read memory that other devices retain for it. This
 * memory is never released, no operation is shared any more, and later calls also return true. */
bool sharing_is_over(void);

/* Counts a wrong result for which no single device can be blamed. After several wrong results no
 * operation is shared any more. */
void sharing_count_wrong(void);

#endif
