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
 * use d and a before.
 *
 * group_multiply_256(d, a, b, adds): D = A B, or D += A B if `adds` is not 0, for matrices of 64 by
 * 32 (A) and 32 by 256 (B) unsigned bytes. D is as above. Both factors are in local memory, A as
 * lines of 128 bytes, B as columns of 128 bytes: line i begins at {at + 32 i, 32}, and bytes 16 c
 * to 16 c + 15 are its piece c ^ (i % 8). `at` is a multiple of 256 words. lines_of(at) returns the
 * descriptor of bytes 0 to 31 of the lines. lines_from(lines, i, k) returns the descriptor of bytes
 * 32 k to 32 k + 31 of the lines from line i, a multiple of 8. group_wait_but_one() waits for all
 * products but those of the last group_commit().
 *
 * Copies from global to local memory can run during the work-items' computations. One work-item
 * calls copies_init(done) for a variable in local memory, once; copies_begin(done, bytes) with the
 * total size of the copies; and copy_begin(to, from, bytes, done) for each copy. Addresses and
 * sizes are multiples of 16 bytes. Any work-item waits for all these copies by copies_wait(done,
 * odd); `odd` is 0 for the first copies of `done`, 1 for the next, and so on alternately. There
 * must be a barrier between copies_init and the other work-items' waits, and between the last use
 * of `to` and copy_begin. Work-items that have stored to `to` must call group_columns_stored()
 * before that barrier. */
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

FN void group_wait_but_one(void) {
    asm volatile("wgmma.wait_group.sync.aligned 1;" ::: "memory");
}
#define GROUP_FOUR(d) "+r"((d)[0]), "+r"((d)[1]), "+r"((d)[2]), "+r"((d)[3])
#define GROUP_32(d)                                                                                \
    GROUP_FOUR(d), GROUP_FOUR(d + 4), GROUP_FOUR(d + 8), GROUP_FOUR(d + 12), GROUP_FOUR(d + 16),   \
        GROUP_FOUR(d + 20), GROUP_FOUR(d + 24), GROUP_FOUR(d + 28)

FN void group_multiply_add_32(u32 *d, const u32 *a, u64 columns) {
    asm volatile("{.reg .pred p; setp.eq.u32 p, 0, 0;\n\t"
                 "wgmma.mma_async.sync.aligned.m64n32k32.s32.u8.u8 {%0, %1, %2, %3, %4, %5, %6, "
                 "%7, %8, %9, %10, %11, %12, %13, %14, %15}, {%16, %17, %18, %19}, %20, p;}"
                 : GROUP_FOUR(d), GROUP_FOUR(d + 4), GROUP_FOUR(d + 8), GROUP_FOUR(d + 12)
                 : "r"(a[0]), "r"(a[1]), "r"(a[2]), "r"(a[3]), "l"(columns));
}

FN u64 lines_of(LOCAL const u32 *at) {
    u32 bytes = (u32)__cvta_generic_to_shared(at);
    return (u64)1 << 62 | (u64)(1024 >> 4) << 32 | 1 << 16 | bytes >> 4;
}

FN u64 lines_from(u64 lines, u32 i, u32 k) {
    return lines + 8 * i + 2 * k;
}

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
