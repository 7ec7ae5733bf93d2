/* SPDX-License-Identifier: LGPL-3.0-or-later
 * Composite operations by their public names, one at a time, with the right result by GMP, for the
 * life of a device that fails. */
#ifndef MPGPU_TEST_FAULT_COMPOSITES_H
#define MPGPU_TEST_FAULT_COMPOSITES_H

#include <stdbool.h>

/* How many there are. */
int composites_count(void);

/* The operation from here on: makes its operands, and the right result.  Without a device. */
void composite_choose(int op);
const char *composite_name(void);

/* How many calls it sends, at most; one at least. */
unsigned long composite_sends(void);

/* Does the device do it from operands to results with verify:residue, too? */
bool composite_is_whole(void);

/* Calls the function. */
void composite_call(void);

/* Result and operands are what they should be.  Releases the result. */
void composite_check(const char *what);

/* While a device that does not answer may still be at work: operands cannot be read any more, and
 * the result is covered. */
void composite_take_away(void);

/* Nothing was written since; operands are there again.  Releases the result. */
void composite_give_back(const char *what);

#endif
