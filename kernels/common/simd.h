/* SPDX-License-Identifier: LGPL-3.0-or-later
 * Arithmetic on vectors of sixteen residues, for CPU devices, on which vectors run in parallel and
 * work-items do not. Each function computes the same as its counterpart in modular.h or radix.h. A
 * vector has the values of adjacent columns. */
#ifndef SIMD_H
#define SIMD_H

#include "kernels/common/modular.h"
#include "kernels/common/tables.h"

#define SIMD 16
typedef uint16 simd;

struct simd_modulus {
    u32 p;
    u64 pinv; /* one word */
};

FN simd simd_add(simd a, simd b, struct simd_modulus m) {
    simd s = a + b;
    return min(s, s - m.p);
}

FN simd simd_sub(simd a, simd b, struct simd_modulus m) {
    simd d = a - b;
    return min(d, d + m.p);
}

/* Divides eight numbers t by 2^32 modulo p. The results are in the high words, in (-p, p). The low
 * words are 0, because t and the subtracted multiple of p have the same low word. */
FN ulong8 simd_reduced(ulong8 t, struct simd_modulus m) {
    ulong8 n = (t & 0xffffffffUL) * m.pinv;
    return t - (n & 0xffffffffUL) * (u64)m.p;
}

/* Multiplies the low words of x and y, and reduces the eight products by simd_reduced. */
FN ulong8 simd_product(ulong8 x, ulong8 y, struct simd_modulus m) {
    return simd_reduced((x & 0xffffffffUL) * (y & 0xffffffffUL), m);
}

/* mod_mul of each. */
FN simd simd_mul(simd a, simd b, struct simd_modulus m) {
    ulong8 x = as_ulong8(a), y = as_ulong8(b);
    simd d = as_uint16(simd_product(x, y, m) >> 32 | simd_product(x >> 32, y >> 32, m));
    return min(d, d + m.p);
}

FN simd simd_mul_word(simd a, u32 b, struct simd_modulus m) {
    ulong8 x = as_ulong8(a), y = (ulong8)((u64)b);
    simd d = as_uint16(simd_product(x, y, m) >> 32 | simd_product(x >> 32, y, m));
    return min(d, d + m.p);
}

/* Define radix_forward_q and radix_inverse_q (radix.h) for sixteen columns. The factors w[i] are
 * words, or vectors if each column has another node. */
#define SIMD_RADIX(q, name, word, mul)                                                             \
    FN void name##_forward_##q(simd *a, const word *w, struct simd_modulus m) {                    \
        UNROLL for (int l = 0; l < q; l++) {                                                       \
            UNROLL for (int k = 0; k < 1 << (q - 1); k++) {                                        \
                int gap = q - 1 - l, block = k >> gap;                                             \
                int i = block << (gap + 1) | (k & ((1 << gap) - 1)), j = i + (1 << gap);           \
                simd v = mul(a[j], w[(1 << l) + block], m);                                        \
                a[j] = simd_sub(a[i], v, m);                                                       \
                a[i] = simd_add(a[i], v, m);                                                       \
            }                                                                                      \
        }                                                                                          \
    }                                                                                              \
    FN void name##_inverse_##q(simd *a, const word *w, struct simd_modulus m) {                    \
        UNROLL for (int l = q - 1; l >= 0; l--) {                                                  \
            UNROLL for (int k = 0; k < 1 << (q - 1); k++) {                                        \
                int gap = q - 1 - l, block = k >> gap;                                             \
                int i = block << (gap + 1) | (k & ((1 << gap) - 1)), j = i + (1 << gap);           \
                simd d = simd_sub(a[i], a[j], m);                                                  \
                a[i] = simd_add(a[i], a[j], m);                                                    \
                a[j] = mul(d, w[(1 << l) + block], m);                                             \
            }                                                                                      \
        }                                                                                          \
    }
SIMD_RADIX(1, simd, u32, simd_mul_word)
SIMD_RADIX(2, simd, u32, simd_mul_word)
SIMD_RADIX(3, simd, u32, simd_mul_word)
SIMD_RADIX(4, simd, u32, simd_mul_word)
SIMD_RADIX(4, simd_lanes, simd, simd_mul)
#undef SIMD_RADIX

/* Loads the factors of a step of q levels from node `node`: factors[2^l + block] is the factor of
 * block `block` of level l. */
#define SIMD_FACTORS(factors, q, w, node)                                                          \
    UNROLL for (int l = 0; l < (q); l++)                                                           \
        UNROLL for (int block = 0; block < 1 << l; block++)(factors)[(1 << l) + block] =           \
            (w)[((node) << l) + block]

#endif
