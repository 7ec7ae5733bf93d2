/* SPDX-License-Identifier: LGPL-3.0-or-later
 * Products of byte matrices with matrix units, which four rows of 32 work-items compute together.
 * MATRIX_GROUPS is defined if the compiler supports these functions: they need CUDA's compiler,
 * and a GPU of NVIDIA's compute capability 9.0. The host reads caps.matrix_groups to learn
 * whether the device supports them.
 *
 * All work-items of the four rows must call the functions for products, in this order:
 * - group_columns_stored(), then a barrier: after work-items have stored factors to local memory
 * - group_begin()
 * - group_multiply_add_32 or group_multiply_256: starts a product
 * - group_commit()
 * - group_wait(): waits until all sums are complete; before that, do not use the arrays d and a
 *
 * group_wait_but_one() waits for all products, except those of the last group_commit(). */
#ifndef MATRIX_GROUP_H
#define MATRIX_GROUP_H

#include "kernels/common/matrix.h"

#if defined(__CUDA_ARCH_FEAT_SM90_ALL)
#define MATRIX_GROUPS

/* Returns the descriptor of a matrix B of 32 lines in local memory, for group_multiply_add_32.
 * The first 16 bytes of column n are at the address at + 4 n. The other 16 bytes of the column
 * begin `half` words later. Both `at` and `half` are multiples of 4 words. */
FN u64 columns_of(LOCAL const u32 *at, u32 half) {
    u32 bytes = (u32)__cvta_generic_to_shared(at);
    return (u64)(128 >> 4) << 32 | half / 4 << 16 | bytes >> 4;
}

/* Returns the descriptor of the matrix that begins at column n of another one. */
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

FN void group_wait_but_one(void) {
    asm volatile("wgmma.wait_group.sync.aligned 1;" ::: "memory");
}
#define GROUP_FOUR(d) "+r"((d)[0]), "+r"((d)[1]), "+r"((d)[2]), "+r"((d)[3])
#define GROUP_32(d)                                                                                \
    GROUP_FOUR(d), GROUP_FOUR(d + 4), GROUP_FOUR(d + 8), GROUP_FOUR(d + 12), GROUP_FOUR(d + 16),   \
        GROUP_FOUR(d + 20), GROUP_FOUR(d + 24), GROUP_FOUR(d + 28)

/* D += A B for unsigned bytes: A has 64 lines and 32 columns, B has 32 lines and 32 columns. D has
 * sums of 32 bits. Row k of work-items holds lines 16 k to 16 k + 15 of A and D, distributed as for
 * matrix_multiply_add (kernels/common/matrix.h). Columns 8 j to 8 j + 7 of D are in d + 4 j. */
FN void group_multiply_add_32(u32 *d, const u32 *a, u64 columns) {
    asm volatile("{.reg .pred p; setp.eq.u32 p, 0, 0;\n\t"
                 "wgmma.mma_async.sync.aligned.m64n32k32.s32.u8.u8 {%0, %1, %2, %3, %4, %5, %6, "
                 "%7, %8, %9, %10, %11, %12, %13, %14, %15}, {%16, %17, %18, %19}, %20, p;}"
                 : GROUP_FOUR(d), GROUP_FOUR(d + 4), GROUP_FOUR(d + 8), GROUP_FOUR(d + 12)
                 : "r"(a[0]), "r"(a[1]), "r"(a[2]), "r"(a[3]), "l"(columns));
}

/* Returns the descriptor of lines of 128 bytes in local memory, for group_multiply_256. Line i
 * begins at the address at + 32 i; `at` is a multiple of 256 words. A line has 8 pieces of 16
 * bytes: bytes 16 c to 16 c + 15 are stored as piece c ^ (i % 8). */
FN u64 lines_of(LOCAL const u32 *at) {
    u32 bytes = (u32)__cvta_generic_to_shared(at);
    return (u64)1 << 62 | (u64)(1024 >> 4) << 32 | 1 << 16 | bytes >> 4;
}

/* Returns the descriptor of bytes 32 k to 32 k + 31 of line i and of the lines behind it. i is a
 * multiple of 8. */
FN u64 lines_from(u64 lines, u32 i, u32 k) {
    return lines + 8 * i + 2 * k;
}

/* D = A B, or D += A B if `adds` is not 0, for unsigned bytes: A has 64 lines and 32 columns, B has
 * 32 lines and 256 columns. D is as in group_multiply_add_32. Both factors are in local memory,
 * stored as lines_of says. a is the descriptor of A's lines, b the descriptor of B's columns. */
FN void group_multiply_256(u32 *d, u64 a, u64 b, u32 adds) {
    asm volatile("{.reg .pred p; setp.ne.u32 p, %130, 0;\n\t"
                 "wgmma.mma_async.sync.aligned.m64n256k32.s32.u8.u8 {%0, %1, %2, %3, %4, %5, "
                 "%6, %7, %8, %9, %10, %11, %12, %13, %14, %15, %16, %17, %18, %19, %20, %21, "
                 "%22, %23, %24, %25, %26, %27, %28, %29, %30, %31, %32, %33, %34, %35, %36, "
                 "%37, %38, %39, %40, %41, %42, %43, %44, %45, %46, %47, %48, %49, %50, %51, "
                 "%52, %53, %54, %55, %56, %57, %58, %59, %60, %61, %62, %63, %64, %65, %66, "
                 "%67, %68, %69, %70, %71, %72, %73, %74, %75, %76, %77, %78, %79, %80, %81, "
                 "%82, %83, %84, %85, %86, %87, %88, %89, %90, %91, %92, %93, %94, %95, %96, "
                 "%97, %98, %99, %100, %101, %102, %103, %104, %105, %106, %107, %108, %109, "
                 "%110, %111, %112, %113, %114, %115, %116, %117, %118, %119, %120, %121, %122, "
                 "%123, %124, %125, %126, %127}, %128, %129, p;}"
                 : GROUP_32(d), GROUP_32(d + 32), GROUP_32(d + 64), GROUP_32(d + 96)
                 : "l"(a), "l"(b), "r"(adds));
}

/* Copies from global to local memory run while the work-items compute. One work-item starts copies;
 * all addresses and sizes are multiples of 16 bytes:
 *
 * - copies_init(done): prepares a variable in local memory, once
 * - copies_begin(done, bytes): announces copies with a total of `bytes` bytes
 * - copy_begin(to, from, bytes, done): starts one of these copies
 *
 * Any work-item calls copies_wait(done, odd) to wait for all copies that were announced. `odd` is 0
 * for the first copies_begin of `done`, 1 for the next, then 0 again.
 *
 * There must be a barrier between copies_init and the waits of other work-items. There must also be
 * one between the last use of `to` and copy_begin. Before that barrier, work-items that have stored
 * to `to` call group_columns_stored(). */
FN u32 copies_at(LOCAL const void *at) {
    return (u32)__cvta_generic_to_shared(at);
}

FN void copies_init(LOCAL u64 *done) {
    asm volatile("mbarrier.init.shared::cta.b64 [%0], 1;\n\t"
                 "fence.mbarrier_init.release.cluster;"
                 :
                 : "r"(copies_at(done))
                 : "memory");
}

FN void copies_begin(LOCAL u64 *done, u32 bytes) {
    asm volatile("mbarrier.arrive.expect_tx.shared::cta.b64 _, [%0], %1;"
                 :
                 : "r"(copies_at(done)), "r"(bytes)
                 : "memory");
}

FN void copy_begin(LOCAL u32 *to, GLOBAL const u32 *from, u32 bytes, LOCAL u64 *done) {
    asm volatile("cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes "
                 "[%0], [%1], %2, [%3];"
                 :
                 : "r"(copies_at(to)), "l"(from), "r"(bytes), "r"(copies_at(done))
                 : "memory");
}

FN void copies_wait(LOCAL u64 *done, u32 odd) {
    asm volatile("{.reg .pred p;\n"
                 "again: mbarrier.try_wait.parity.shared::cta.b64 p, [%0], %1;\n\t"
                 "@!p bra again;}"
                 :
                 : "r"(copies_at(done)), "r"(odd)
                 : "memory");
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
FN void group_wait_but_one(void) {
}

FN void group_multiply_add_32(u32 *d, const u32 *a, u64 columns) {
    const u32 *at = (const u32 *)(uintptr_t)(columns & (((u64)1 << GROUP_HALF_AT) - 1));
    host_multiply_columns(d, a, at, 4 * (u32)(columns >> GROUP_HALF_AT));
}

/* A descriptor of lines consists of the address and, from bit GROUP_HALF_AT up, of the argument k
 * of lines_from. */
FN u64 lines_of(LOCAL const u32 *at) {
    return (u64)(uintptr_t)at;
}

FN u64 lines_from(u64 lines, u32 i, u32 k) {
    return lines + (u64)i * 128 + ((u64)k << GROUP_HALF_AT);
}

FN void group_multiply_256(u32 *d, u64 a, u64 b, u32 adds) {
    const u64 mask = ((u64)1 << GROUP_HALF_AT) - 1;
    host_multiply_lines(d, (const u32 *)(uintptr_t)(a & mask), (u32)(a >> GROUP_HALF_AT),
                        (const u32 *)(uintptr_t)(b & mask), (u32)(b >> GROUP_HALF_AT), adds);
}

/* The low 32 bits of *done count the bytes that are still missing. The bits above count the calls
 * of copies_begin whose bytes are complete. */
FN void copies_init(LOCAL u64 *done) {
    *done = 0;
}

FN void copies_begin(LOCAL u64 *done, u32 bytes) {
    *done += bytes;
}

FN void copy_begin(LOCAL u32 *to, GLOBAL const u32 *from, u32 bytes, LOCAL u64 *done) {
    for (u32 i = 0; i < bytes / 4; i++)
        to[i] = from[i];
    *done -= bytes;
    if ((u32)*done == 0)
        *done += (u64)1 << 32;
}

FN void copies_wait(LOCAL u64 *done, u32 odd) {
    if ((u32)*done != 0 || (*done >> 32 & 1) == odd)
        __builtin_trap(); /* on a device, this wait would never end */
}

#elif defined(KERNEL_HEADS) && !defined(ON_CPU)
#define MATRIX_GROUPS
#endif

#endif
