/* SPDX-License-Identifier: LGPL-3.0-or-later
 * Sixteen residues at once, for devices that are CPUs: their vectors, rather than
 * work-items, are what works side by side there.  The same arithmetic as modular.h,
 * and the same steps as radix.h; a vector holds adjacent columns. */
#ifndef WIDE_H
#define WIDE_H

#include "kernels/common/modular.h"
#include "kernels/common/tables.h"

#define WIDE 16
typedef uint16 wide;

struct wide_modulus {
    u32 p;
    u64 pinv; /* one word */
};

FN wide wide_add(wide a, wide b, struct wide_modulus m) {
    wide s = a + b;
    return min(s, s - m.p);
}

FN wide wide_sub(wide a, wide b, struct wide_modulus m) {
    wide d = a - b;
    return min(d, d + m.p);
}

/* Eight numbers t reduced: the high words of the result are those of t - m p as in mod_mul,
 * the low words are 0, since both have the same. */
FN ulong8 wide_reduced(ulong8 t, struct wide_modulus m) {
    ulong8 n = (t & 0xffffffffUL) * m.pinv;
    return t - (n & 0xffffffffUL) * (u64)m.p;
}

/* Eight products, of the low words of x and y, reduced. */
FN ulong8 wide_product(ulong8 x, ulong8 y, struct wide_modulus m) {
    return wide_reduced((x & 0xffffffffUL) * (y & 0xffffffffUL), m);
}

/* mod_mul of each. */
FN wide wide_mul(wide a, wide b, struct wide_modulus m) {
    ulong8 x = as_ulong8(a), y = as_ulong8(b);
    wide d = as_uint16(wide_product(x, y, m) >> 32 | wide_product(x >> 32, y >> 32, m));
    return min(d, d + m.p);
}

FN wide wide_mul_word(wide a, u32 b, struct wide_modulus m) {
    ulong8 x = as_ulong8(a), y = (ulong8)((u64)b);
    wide d = as_uint16(wide_product(x, y, m) >> 32 | wide_product(x >> 32, y, m));
    return min(d, d + m.p);
}

/* radix_forward_q and radix_inverse_q of sixteen columns; w[i] are words, or vectors
 * where each column has a node of its own. */
#define WIDE_RADIX(q, name, word, mul)                                                             \
    FN void name##_forward_##q(wide *a, const word *w, struct wide_modulus m) {                    \
        UNROLL for (int l = 0; l < q; l++) {                                                       \
            UNROLL for (int k = 0; k < 1 << (q - 1); k++) {                                        \
                int gap = q - 1 - l, block = k >> gap;                                             \
                int i = block << (gap + 1) | (k & ((1 << gap) - 1)), j = i + (1 << gap);           \
                wide v = mul(a[j], w[(1 << l) + block], m);                                        \
                a[j] = wide_sub(a[i], v, m);                                                       \
                a[i] = wide_add(a[i], v, m);                                                       \
            }                                                                                      \
        }                                                                                          \
    }                                                                                              \
    FN void name##_inverse_##q(wide *a, const word *w, struct wide_modulus m) {                    \
        UNROLL for (int l = q - 1; l >= 0; l--) {                                                  \
            UNROLL for (int k = 0; k < 1 << (q - 1); k++) {                                        \
                int gap = q - 1 - l, block = k >> gap;                                             \
                int i = block << (gap + 1) | (k & ((1 << gap) - 1)), j = i + (1 << gap);           \
                wide d = wide_sub(a[i], a[j], m);                                                  \
                a[i] = wide_add(a[i], a[j], m);                                                    \
                a[j] = mul(d, w[(1 << l) + block], m);                                             \
            }                                                                                      \
        }                                                                                          \
    }
WIDE_RADIX(1, wide, u32, wide_mul_word)
WIDE_RADIX(2, wide, u32, wide_mul_word)
WIDE_RADIX(3, wide, u32, wide_mul_word)
WIDE_RADIX(4, wide, u32, wide_mul_word)
WIDE_RADIX(4, lanes, wide, wide_mul)
#undef WIDE_RADIX

/* The factors of a step of q levels from `node` on: w[2^l + block] for block `block` of
 * level l. */
#define WIDE_FACTORS(factors, q, w, node)                                                          \
    UNROLL for (int l = 0; l < (q); l++)                                                           \
        UNROLL for (int block = 0; block < 1 << l; block++)(factors)[(1 << l) + block] =           \
            (w)[((node) << l) + block]

#endif
