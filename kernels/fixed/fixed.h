/* SPDX-License-Identifier: LGPL-3.0-or-later
 * Signed fixed-point numbers of FIXED_WORDS words of 32 bits: 4 (the default), 6 or 8. For OpenCL,
 * CUDA and host C. The value is an integer in two's complement, lowest word first, divided by
 * 2^FIXED_FRACTION; so the highest word is the integer part. Results are modulo 2^32. Products and
 * right shifts are rounded towards minus infinity (doc/design/fixed-point.md).
 *
 * After Eric Bainville, CPU/GPU Multiprecision Mandelbrot Set, 2009,
 * http://www.bealto.com/mp-mandelbrot.html. Bainville's products are too small by up to three units
 * in the last place. */
#ifndef FIXED_H
#define FIXED_H

#include "kernels/common/platform.h"

#ifndef FIXED_WORDS
#define FIXED_WORDS 4
#endif
#define FIXED_TOP (FIXED_WORDS - 1)
#define FIXED_FRACTION (32 * FIXED_TOP)

/* Chooses the arithmetic: NVIDIA's carry flag, 64-bit limbs on little-endian CPUs, otherwise
 * words. */
#if defined(FIXED_PLAIN)
#elif defined(__CUDACC__) || defined(__NV_CL_C_VERSION)
#define FIXED_PTX
#elif defined(__SIZEOF_INT128__) && (!defined(__OPENCL_VERSION__) || defined(ON_CPU)) &&           \
    __BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__
#define FIXED_LIMBS (FIXED_WORDS / 2)
#endif

struct fixed {
#if defined(FIXED_LIMBS)
    union {
        u32 w[FIXED_WORDS];
        u64 d[FIXED_LIMBS];
    };
#else
    u32 w[FIXED_WORDS];
#endif
};

FN struct fixed fixed_zero(void) {
    struct fixed r;
    UNROLL for (int i = 0; i < FIXED_WORDS; i++) r.w[i] = 0;
    return r;
}

FN u32 fixed_is_negative(struct fixed u) {
    return u.w[FIXED_TOP] >> 31;
}

FN struct fixed fixed_load(GLOBAL const u32 *from) {
    struct fixed r;
    UNROLL for (int i = 0; i < FIXED_WORDS; i++) r.w[i] = from[i];
    return r;
}

FN void fixed_store(GLOBAL u32 *to, struct fixed u) {
    UNROLL for (int i = 0; i < FIXED_WORDS; i++) to[i] = u.w[i];
}

/* The following headers define fixed_add: u + v; fixed_sub: u - v; fixed_mul: u v, rounded down. */
#include "kernels/fixed/fixed_square.h"
#if defined(FIXED_PTX)
#include "kernels/fixed/fixed_ptx.h"
#elif defined(FIXED_LIMBS)
#include "kernels/fixed/fixed_limbs.h"
#else
#include "kernels/fixed/fixed_plain.h"
#endif

FN struct fixed fixed_neg(struct fixed u) {
    return fixed_sub(fixed_zero(), u);
}

/* Returns the sign of u: -1, 0 or 1. */
FN s32 fixed_sign(struct fixed u) {
    u32 any = 0;
    UNROLL for (int i = 0; i < FIXED_WORDS; i++) any |= u.w[i];
    return fixed_is_negative(u) ? -1 : any != 0;
}

/* Returns -1 if u < v, 0 if u = v, 1 if u > v. */
FN s32 fixed_compare(struct fixed u, struct fixed v) {
    s32 order = 0;
    UNROLL for (int i = 0; i < FIXED_WORDS; i++) {
        /* Flips the sign bit, to compare as unsigned words. */
        u32 flip = i == FIXED_TOP ? 1u << 31 : 0;
        u32 a = u.w[i] ^ flip, b = v.w[i] ^ flip;
        order = a < b ? -1 : a > b ? 1 : order;
    }
    return order;
}

/* Returns u 2^count modulo 2^32, for any count. */
FN struct fixed fixed_shift_left(struct fixed u, u32 count) {
    u32 words = count / 32, bits = count % 32;
    if (words >= FIXED_WORDS)
        return fixed_zero();
    UNROLL for (int far = 1; far < FIXED_WORDS; far *= 2)
        UNROLL for (int i = FIXED_TOP; i >= 0; i--) u.w[i] = !(words & (u32)far) ? u.w[i]
                                                             : i >= far          ? u.w[i - far]
                                                                                 : 0;
    UNROLL for (int i = FIXED_TOP; i > 0; i--) u.w[i] =
        (u32)(((u64)u.w[i] << 32 | u.w[i - 1]) << bits >> 32);
    u.w[0] <<= bits;
    return u;
}

/* Returns u 2^-count, rounded down, for any count. */
FN struct fixed fixed_shift_right(struct fixed u, u32 count) {
    u32 words = count / 32, bits = count % 32, sign = 0 - fixed_is_negative(u);
    if (words >= FIXED_WORDS)
        words = FIXED_TOP, bits = 31;
    UNROLL for (int far = 1; far < FIXED_WORDS; far *= 2)
        UNROLL for (int i = 0; i < FIXED_WORDS; i++) u.w[i] = !(words & (u32)far)     ? u.w[i]
                                                              : i + far < FIXED_WORDS ? u.w[i + far]
                                                                                      : sign;
    UNROLL for (int i = 0; i < FIXED_TOP; i++) u.w[i] =
        (u32)(((u64)u.w[i + 1] << 32 | u.w[i]) >> bits);
    u.w[FIXED_TOP] = (u32)(((u64)sign << 32 | u.w[FIXED_TOP]) >> bits);
    return u;
}

/* Returns u k modulo 2^32, for an unsigned integer k. */
FN struct fixed fixed_mul_word(struct fixed u, u32 k) {
    u64 carry = 0;
    UNROLL for (int i = 0; i < FIXED_WORDS; i++) {
        carry += (u64)u.w[i] * k;
        u.w[i] = (u32)carry;
        carry >>= 32;
    }
    return u;
}

#endif
