/* SPDX-License-Identifier: LGPL-3.0-or-later
 * Memory functions for GMP that check their callers.  Each block is freed once, with its size, by
 * the functions that were in force when it was allocated.  Nothing is written beyond its end, and
 * nothing is read from it later. */
#ifndef MPGPU_CHECKED_MEMORY_H
#define MPGPU_CHECKED_MEMORY_H

/* Puts them in force; blocks of other functions must have been freed before. */
void checked_memory_begin(void);

/* Blocks allocated so far, and those not freed yet. */
unsigned long checked_memory_made(void);
unsigned long checked_memory_left(void);

#endif
