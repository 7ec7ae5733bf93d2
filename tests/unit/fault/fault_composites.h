/* SPDX-License-Identifier: LGPL-3.0-or-later
 * Composite operations (GMP functions that compute several products), called by their public names
 * while a device fails. The expected results are GMP's. */
#ifndef MPGPU_TEST_FAULT_COMPOSITES_H
#define MPGPU_TEST_FAULT_COMPOSITES_H

#include <stdbool.h>

/* Returns the number of operations. */
int composites_count(void);

/* Chooses operation `op`, makes its operands, and computes the expected result without a device. */
void composite_choose(int op);
const char *composite_name(void);

/* Returns the most calls that the operation makes on the device; it makes at least one. */
unsigned long composite_sends(void);

/* Returns true if the device computes the operation as one job (not product by product), even with
 * verify:residue. */
bool composite_is_whole(void);

/* Calls the function. */
void composite_call(void);

/* Compares the result with the expected one and the operands with their old values, and releases
 * the result. */
void composite_check(const char *what);

/* Makes the operands unreadable and fills the result with a pattern. Call it while a hanging device
 * may still access them. */
void composite_protect(void);

/* Checks that the pattern of composite_protect was not overwritten, makes the operands readable
 * again, and releases the result. */
void composite_restore(const char *what);

#endif
