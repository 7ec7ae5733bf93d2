/* SPDX-License-Identifier: LGPL-3.0-or-later
 * Composite operations by their public names, one at a time, with the right result by GMP, for the
 * session of a device that fails. */
#ifndef MPGPU_TEST_FAULT_COMPOSITES_H
#define MPGPU_TEST_FAULT_COMPOSITES_H

#include <stdbool.h>

/* How many there are. */
int composites_count(void);

/* Chooses the operation; makes its operands and the right result without a device. */
void composite_choose(int op);
const char *composite_name(void);

/* How many calls it sends, at most; one at least. */
unsigned long composite_sends(void);

/* Returns true if the device computes the operation as a whole with verify:residue, too. */
bool composite_is_whole(void);

/* Calls the function. */
void composite_call(void);

/* Checks result and operands, and releases the result. */
void composite_check(const char *what);

/* Call it while a hanging device may still be working: makes operands unreadable and protects the
 * result. */
void composite_take_away(void);

/* Nothing was written since; operands are there again.  Releases the result. */
void composite_give_back(const char *what);

#endif
