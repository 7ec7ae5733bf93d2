/* SPDX-License-Identifier: LGPL-3.0-or-later
 * Memory functions for GMP that check what they are given: each block is freed once, by the
 * functions that were in force when it was made, with the size that it has; what lies
 * beyond its end is untouched, and what is freed is no longer read. */
#ifndef MPGPU_CHECKED_MEMORY_H
#define MPGPU_CHECKED_MEMORY_H

/* Put them in force, when nothing that other functions made is to be freed any more. */
void checked_memory_begin(void);

/* Blocks that they have made so far, and that have not been freed. */
unsigned long checked_memory_made(void);
unsigned long checked_memory_left(void);

#endif
