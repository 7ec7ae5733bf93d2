/* SPDX-License-Identifier: LGPL-3.0-or-later
 * Products or composite operations on several devices: whether sharing is allowed, and a lock for
 * one at a time. */
#ifndef MPGPU_SHARING_H
#define MPGPU_SHARING_H

#include <stdbool.h>
#include <stddef.h>

/* The limbs of a product's result from which on two devices share it: the option `shard`. */
size_t sharing_limbs(void);

/* Returns true if this thread's next operation may be shared: there are several devices, and no
 * option and no state of the program forbids it. */
bool sharing_is_allowed(void);

/* Takes the lock; returns false if another thread has it. After true sharing_end must follow. */
bool sharing_begin(void);
void sharing_end(void);

/* Returns true if more gates are shut than at sharing_begin. A device then has not answered, and
 * may still read memory that others keep for it. That memory is never released, and sharing ends
 * for good: later calls also return true. */
bool sharing_is_over(void);

/* Counts a wrong result for which no single device can be blamed. After several, sharing ends. */
void sharing_count_wrong(void);

#endif
