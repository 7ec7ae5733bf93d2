/* SPDX-License-Identifier: LGPL-3.0-or-later
 * Composite operations, called by their public GMP names, for sessions of a device that fails.
 * The expected results are GMP's. */
#ifndef MPGPU_TEST_FAULT_COMPOSITES_H
#define MPGPU_TEST_FAULT_COMPOSITES_H

#include <stdbool.h>

/* Returns the number of operations. */
int composites_count(void);

/* Chooses operation `op`; makes its operands and computes the expected result without a device. */
void composite_choose(int op);
const char *composite_name(void);

/* Returns the most calls that the operation sends to the device; it sends at least one. */
unsigned long composite_sends(void);

/* Returns true if the device computes the operation as a whole even with verify:residue. */
bool composite_is_whole(void);

/* Calls the function. */
void composite_call(void);

/* Compares result and operands with the expected ones, and releases the result. */
void composite_check(const char *what);

/* Makes the operands unreadable and write-protects the result. Call it while a hanging device
 * may still be working. */
void composite_protect(void);

/* Checks that nothing was written since composite_protect, makes the operands readable again,
 * and releases the result. */
void composite_restore(const char *what);

#endif
