/* SPDX-License-Identifier: LGPL-3.0-or-later
 * Replaces kernels/common/platform.h, with words of WORD bits instead of 32. tests/proofs/narrow.sh
 * replaces the numbers in the headers that depend on the width of a word. */
#ifndef PLATFORM_H
#define PLATFORM_H

typedef unsigned _BitInt(WORD) u32;
typedef unsigned _BitInt(2 * WORD) u64;
typedef unsigned _BitInt(4 * WORD) u128;
typedef signed _BitInt(WORD) s32;
typedef signed _BitInt(2 * WORD) s64;
#ifndef LOG_BEGIN /* digits_store shifts by LOG_BEGIN, which replaces 22 */
#define LOG_BEGIN 3
#endif
#ifndef REAL /* tests/proofs/enumerate_doubles.c */
#define REAL double
#define D 52
#define POWER_D 0x1p52
#define MIDDLE_D 0x1.8p52
#define MIDDLE_2D 0x1.8p104
#define POWER_HALF 0x1p51
#define HALF_D 0x8000000000000
#define MASK_D 0xfffffffffffff
#define BITS_2D 0x4678000000000000
#define BITS_D 0x4330000000000000
#define MIDDLE_CARRY 1024
#endif
#define UNROLL
#define UNROLL_TWO
#define ROLLED
#define FN __attribute__((unused)) static inline
#define NOINLINE static
#define GLOBAL
#define LOCAL
#define RESTRICT restrict
#define MULHI32(a, b) ((u32)(((u64)(a) * (u64)(b)) >> WORD))
#define MULHI64(a, b) ((u64)(((u128)(a) * (u128)(b)) >> 2 * WORD))
#define MIN32(a, b) ((a) < (b) ? (a) : (b))
#define LEADING_ZEROS32(a) ((u32)(__builtin_clz((unsigned)(a)) - (32 - WORD)))
#define LOAD2(space, a, b, pointer) ((a) = (pointer)[0], (b) = (pointer)[1])
#define LOAD4(space, a, pointer)                                                                   \
    do {                                                                                           \
        for (int i_ = 0; i_ < 4; i_++)                                                             \
            (a)[i_] = (pointer)[i_];                                                               \
    } while (0)
#ifndef LOCAL_ID /* tests/proofs/items.h */
#define GROUP_X 0
#define LOCAL_ID 0
#endif
#define STORE2_TO(space, pointer, a, b) ((pointer)[0] = (a), (pointer)[1] = (b))
#define STORE4(pointer, a) LOAD4(GLOBAL, pointer, a)
#define KERNEL(threads) __attribute__((unused)) static void
#define ATOMIC_ADD(pointer, x) ((void)(*(pointer) += (x)))

#endif
