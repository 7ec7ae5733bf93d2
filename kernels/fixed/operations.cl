/* SPDX-License-Identifier: LGPL-3.0-or-later
 * Applies an operation to arrays of fixed-point numbers of FIXED_WORDS words, which follow one
 * another in memory. */
#include "kernels/fixed/operate.h"

#define OPERATIONS_THREADS 128

/* Sets number i of r to the result of `operation` on number i of u and number i of v, for i <
 * numbers. r may be u or v. */
KERNEL(OPERATIONS_THREADS)
fixed_numbers(GLOBAL u32 *r, GLOBAL const u32 *u, GLOBAL const u32 *v, u64 numbers, u32 operation,
              u32 count) {
    u64 i = (u64)GROUP_X * OPERATIONS_THREADS + LOCAL_ID;
    if (i < numbers)
        fixed_store(r + i * FIXED_WORDS, fixed_operate(operation, fixed_load(u + i * FIXED_WORDS),
                                                       fixed_load(v + i * FIXED_WORDS), count));
}
