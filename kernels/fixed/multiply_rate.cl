/* SPDX-License-Identifier: LGPL-3.0-or-later
 * Measures how many products a device computes in registers: 32 by 32 bits, added to a sum of 64
 * bits. */
#include "kernels/common/platform.h"
#include "kernels/fixed/multiply_rate.h"

/* Adds a b to the sum {low, high}. On NVIDIA's GPUs this is one instruction; compilers make two of
 * an expression with u64. */
#if defined(__CUDACC__) || defined(__NV_CL_C_VERSION)
#define RATE_ADD_PRODUCT(low, high, a, b)                                                          \
    __asm volatile("mad.lo.cc.u32 %0, %2, %3, %0;\n\tmadc.hi.u32 %1, %2, %3, %1;"                  \
                   : "+r"(low), "+r"(high)                                                         \
                   : "r"(a), "r"(b))
#else
#define RATE_ADD_PRODUCT(low, high, a, b)                                                          \
    do {                                                                                           \
        u64 sum_ = ((u64)(high) << 32 | (low)) + (u64)(a) * (b);                                   \
        (low) = (u32)sum_, (high) = (u32)(sum_ >> 32);                                             \
    } while (0)
#endif

/* Each work-item computes rounds * RATE_PRODUCTS products, and a word of r from them. All products
 * of a round have different factors, and each round has others, so the compiler cannot omit any. */
KERNEL(RATE_THREADS)
multiply_rate(GLOBAL u32 *RESTRICT r, u32 seed, u32 rounds) {
    const u32 item = GROUP_X * RATE_THREADS + LOCAL_ID;
    u32 low[RATE_CHAINS], high[RATE_CHAINS], x[RATE_CHAINS], y[RATE_CHAINS], all = 0;
    UNROLL for (int k = 0; k < RATE_CHAINS; k++) {
        x[k] = seed * (item + (u32)k);
        y[k] = x[k] ^ seed;
        low[k] = item, high[k] = 0;
    }
    for (u32 round = 0; round < rounds; round++) {
        UNROLL for (int i = 0; i < RATE_CHAINS; i++) UNROLL for (int k = 0; k < RATE_CHAINS; k++)
            RATE_ADD_PRODUCT(low[k], high[k], x[k], y[(k + i) % RATE_CHAINS]);
        UNROLL for (int k = 0; k < RATE_CHAINS; k++) x[k] ^= low[k];
    }
    UNROLL for (int k = 0; k < RATE_CHAINS; k++) all ^= low[k] ^ high[k];
    r[item] = all;
}
