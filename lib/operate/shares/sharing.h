/* SPDX-License-Identifier: LGPL-3.0-or-later
 * What several devices do together, a product or a composite operation: whether they may, and one
 * at a time. */
#ifndef MPGPU_SHARING_H
#define MPGPU_SHARING_H

#include <stdbool.h>
#include <stddef.h>

/* The limbs of a product's result from which on two devices share it: the option `shard`. */
size_t sharing_limbs(void);

/* May devices share what this thread wants done now?  There are several, and no option and no state
 * of the program forbids it. */
bool sharing_is_allowed(void);

/* The calling thread's turn, if nobody else has it; then sharing_end must follow. */
bool sharing_begin(void);
void sharing_end(void);

/* Are more gates shut than at sharing_begin?  Then a device has not answered, and may yet read what
 * others keep for it: that stays, and nothing is shared any more.  So it is when this was true
 * once. */
bool sharing_is_over(void);

/* A result was wrong, and no device is known to be the wrong one.  Where it goes on nothing is
 * shared any more. */
void sharing_count_wrong(void);

#endif
