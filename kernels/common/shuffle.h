/* SPDX-License-Identifier: LGPL-3.0-or-later
 * Exchanges words between the work-items of a row of 32 without local memory, on NVIDIA's devices.
 * All 32 must call these functions. A row consists of teams of `size` work-items, a power of two.
 * Words are exchanged only inside a team, except by shuffle_across. */
#ifndef SHUFFLE_H
#define SHUFFLE_H

#include "kernels/common/platform.h"

/* UNROLL_DIGITS unrolls loops over all digits that a work-item has in registers. UNROLL_HERE
 * unrolls loops over a few digits. Without NVIDIA's shuffles both are empty. */
#if defined(__CUDACC__) || defined(__NV_CL_C_VERSION)
#define SHUFFLES
#define UNROLL_DIGITS UNROLL
#define UNROLL_HERE UNROLL
#if defined(__CUDACC__)
#define SHUFFLE_ASM asm volatile
#else
#define SHUFFLE_ASM __asm volatile
#endif

/* Returns the third operand of the instruction shfl.sync, which contains the size of the teams and
 * the last lane that may be read: the highest one, or the lowest one (0) for shuffle_up. */
#define SHUFFLE_WITHIN(size, last) ((32u - (size)) << 8 | (last))

FN u32 shuffle_down(u32 x, u32 size) {
    u32 r;
    SHUFFLE_ASM("shfl.sync.down.b32 %0, %1, 1, %2, 0xffffffff;"
                : "=r"(r)
                : "r"(x), "r"(SHUFFLE_WITHIN(size, 31)));
    return r;
}
FN u32 shuffle_up(u32 x, u32 size) {
    u32 r;
    SHUFFLE_ASM("shfl.sync.up.b32 %0, %1, 1, %2, 0xffffffff;"
                : "=r"(r)
                : "r"(x), "r"(SHUFFLE_WITHIN(size, 0)));
    return r;
}
FN u32 shuffle_from(u32 x, u32 lane, u32 size) {
    u32 r;
    SHUFFLE_ASM("shfl.sync.idx.b32 %0, %1, %2, %3, 0xffffffff;"
                : "=r"(r)
                : "r"(x), "r"(lane), "r"(SHUFFLE_WITHIN(size, 31)));
    return r;
}
FN u32 shuffle_across(u32 x, u32 mask) {
    u32 r;
    SHUFFLE_ASM("shfl.sync.bfly.b32 %0, %1, %2, 31, 0xffffffff;" : "=r"(r) : "r"(x), "r"(mask));
    return r;
}
#else
#define UNROLL_DIGITS
#define UNROLL_HERE
#endif

#if defined(HOST_ROWS) /* tests/kernels/host_kernel.h */
#define SHUFFLES
FN u32 shuffle_down(u32 x, u32 size) {
    u32 at = LOCAL_ID % 32;
    return host_exchange(x)[at % size < size - 1 ? at + 1 : at];
}
FN u32 shuffle_up(u32 x, u32 size) {
    u32 at = LOCAL_ID % 32;
    return host_exchange(x)[at % size > 0 ? at - 1 : at];
}
FN u32 shuffle_from(u32 x, u32 lane, u32 size) {
    return host_exchange(x)[LOCAL_ID % 32 / size * size + lane];
}
FN u32 shuffle_across(u32 x, u32 mask) {
    return host_exchange(x)[(LOCAL_ID ^ mask) % 32];
}
#endif

#endif
