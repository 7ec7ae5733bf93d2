/* SPDX-License-Identifier: LGPL-3.0-or-later
 * Products of byte matrices with NVIDIA's matrix units, for compute capability 8.0 and above. All
 * 32 work-items of a row must call matrix_multiply_add. MATRIX_UNITS is defined if the compiler
 * supports the units. The host reads caps.matrix_units to learn whether the device has them. */
#ifndef MATRIX_H
#define MATRIX_H

#include "kernels/common/shuffle.h"

/* matrix_multiply_add(d, a, b): D += A B, for matrices of 16 by 32 (A) and 32 by 8 (B) unsigned
 * bytes. D has sums of 32 bits. Work-item 4 g + t of the row has these parts:
 *
 * A: a[0] has bytes 4 t to 4 t + 3 of line g, a[1] the same bytes of line g + 8. a[2] and a[3] have
 * the bytes 16 places to the right of a[0] and a[1].
 *
 * B: b[0] has bytes 4 t to 4 t + 3 of column g, b[1] the bytes 16 places below.
 *
 * D: d[0] and d[1] have columns 2 t and 2 t + 1 of line g, d[2] and d[3] the same columns of line g
 * + 8.
 *
 * bytes_of(low, high, selector): returns four of the eight bytes of low and high. Hexadecimal digit
 * i of the selector is the number of the byte that becomes byte i. */
#if defined(__NV_CL_C_VERSION) || defined(__CUDA_ARCH__) && __CUDA_ARCH__ >= 800
#define MATRIX_UNITS

FN void matrix_multiply_add(u32 *d, const u32 *a, const u32 *b) {
    SHUFFLE_ASM("mma.sync.aligned.m16n8k32.row.col.s32.u8.u8.s32 {%0, %1, %2, %3}, "
                "{%4, %5, %6, %7}, {%8, %9}, {%0, %1, %2, %3};"
                : "+r"(d[0]), "+r"(d[1]), "+r"(d[2]), "+r"(d[3])
                : "r"(a[0]), "r"(a[1]), "r"(a[2]), "r"(a[3]), "r"(b[0]), "r"(b[1]));
}

FN u32 bytes_of(u32 low, u32 high, u32 selector) {
    u32 r;
    SHUFFLE_ASM("prmt.b32 %0, %1, %2, %3;" : "=r"(r) : "r"(low), "r"(high), "r"(selector));
    return r;
}

#elif defined(HOST_ROWS) /* tests/kernels/host_kernel.h */
#define MATRIX_UNITS

FN void matrix_multiply_add(u32 *d, const u32 *a, const u32 *b) {
    host_multiply(d, a, b);
}

FN u32 bytes_of(u32 low, u32 high, u32 selector) {
    u64 both = (u64)high << 32 | low;
    u32 r = 0;
    for (u32 i = 0; i < 4; i++)
        r |= (u32)(both >> 8 * (selector >> 4 * i & 7) & 255) << 8 * i;
    return r;
}

#elif defined(KERNEL_HEADS) && !defined(ON_CPU)
#define MATRIX_UNITS
#endif

#endif
