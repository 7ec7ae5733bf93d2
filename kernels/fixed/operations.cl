/* SPDX-License-Identifier: LGPL-3.0-or-later
 * Operations on arrays of numbers of FIXED_WORDS words, one after another in memory. */
#include "kernels/fixed/operate.h"

#define OPERATIONS_THREADS 128

/* r_i = u_i op v_i, i < numbers; r may be u or v. */
KERNEL(OPERATIONS_THREADS)
fixed_numbers(GLOBAL u32 *r, GLOBAL const u32 *u, GLOBAL const u32 *v, u64 numbers, u32 operation,
              u32 count) {
    u64 i = (u64)GROUP_X * OPERATIONS_THREADS + LOCAL_ID;
    if (i < numbers)
        fixed_store(r + i * FIXED_WORDS, fixed_operate(operation, fixed_load(u + i * FIXED_WORDS),
                                                       fixed_load(v + i * FIXED_WORDS), count));
}
