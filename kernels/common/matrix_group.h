/* SPDX-License-Identifier: LGPL-3.0-or-later
 * Products of byte matrices with matrix units, computed by four rows of 32 work-items together.
 * These functions need NVIDIA's compute capability 9.0 and CUDA's compiler. All work-items of the
 * four rows must call them. MATRIX_GROUPS is defined if the compiler supports them. The host reads
 * caps.matrix_groups to learn whether the device does.
 *
 * group_multiply_add_32(d, a, columns): D += A B, for matrices of 64 by 32 (A) and 32 by 32 (B)
 * unsigned bytes. D has sums of 32 bits. Row k of work-items has lines 16 k to 16 k + 15 of A and
 * D, laid out as for matrix_multiply_add (kernels/common/matrix.h). d + 4 j has columns 8 j to 8 j
 * + 7 of D.
 *
 * B is in local memory. Column n has its first 16 bytes at {at + 4 n, 4}, and its other 16 bytes
 * `half` words behind the first. columns_of(at, half) returns the descriptor of B.
 * columns_from(columns, n) returns a descriptor that begins at column n. `at` and `half` must be
 * multiples of 4 words.
 *
 * Work-items that have stored B must call group_columns_stored() before the barrier. Issue products
 * after group_begin(), then call group_commit(). The sums are complete after group_wait(); do not
 * use d and a before. */
#ifndef MATRIX_GROUP_H
#define MATRIX_GROUP_H

#include "kernels/common/matrix.h"

#if defined(__CUDA_ARCH_FEAT_SM90_ALL)
#define MATRIX_GROUPS

FN u64 columns_of(LOCAL const u32 *at, u32 half) {
    u32 bytes = (u32)__cvta_generic_to_shared(at);
    return (u64)(128 >> 4) << 32 | half / 4 << 16 | bytes >> 4;
}

FN u64 columns_from(u64 columns, s32 n) {
    return columns + (u64)(s64)n;
}

FN void group_columns_stored(void) {
    asm volatile("fence.proxy.async;" ::: "memory");
}

FN void group_begin(void) {
    asm volatile("wgmma.fence.sync.aligned;" ::: "memory");
}

FN void group_commit(void) {
    asm volatile("wgmma.commit_group.sync.aligned;" ::: "memory");
}

FN void group_wait(void) {
    asm volatile("wgmma.wait_group.sync.aligned 0;" ::: "memory");
}
#define GROUP_FOUR(d) "+r"((d)[0]), "+r"((d)[1]), "+r"((d)[2]), "+r"((d)[3])

FN void group_multiply_add_32(u32 *d, const u32 *a, u64 columns) {
    asm volatile("{.reg .pred p; setp.eq.u32 p, 0, 0;\n\t"
                 "wgmma.mma_async.sync.aligned.m64n32k32.s32.u8.u8 {%0, %1, %2, %3, %4, %5, %6, "
                 "%7, %8, %9, %10, %11, %12, %13, %14, %15}, {%16, %17, %18, %19}, %20, p;}"
                 : GROUP_FOUR(d), GROUP_FOUR(d + 4), GROUP_FOUR(d + 8), GROUP_FOUR(d + 12)
                 : "r"(a[0]), "r"(a[1]), "r"(a[2]), "r"(a[3]), "l"(columns));
}

#elif defined(HOST_ROWS) /* tests/kernels/host_kernel.h */
#define MATRIX_GROUPS

/* A descriptor of B consists of the address and, from this bit up, of half / 4. */
#define GROUP_HALF_AT 48

FN u64 columns_of(LOCAL const u32 *at, u32 half) {
    return (u64)(uintptr_t)at + ((u64)(half / 4) << GROUP_HALF_AT);
}

FN u64 columns_from(u64 columns, s32 n) {
    return columns + (u64)((s64)n * 16);
}

FN void group_columns_stored(void) {
}
FN void group_begin(void) {
}
FN void group_commit(void) {
}
FN void group_wait(void) {
}

FN void group_multiply_add_32(u32 *d, const u32 *a, u64 columns) {
    const u32 *at = (const u32 *)(uintptr_t)(columns & (((u64)1 << GROUP_HALF_AT) - 1));
    host_multiply_columns(d, a, at, 4 * (u32)(columns >> GROUP_HALF_AT));
}

#elif defined(KERNEL_HEADS) && !defined(ON_CPU)
#define MATRIX_GROUPS
#endif

#endif
