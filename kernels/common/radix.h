/* SPDX-License-Identifier: LGPL-3.0-or-later
 * Steps that compute q levels of the transform's tree (tables.h) at once, on 2^q values in
 * registers.
 *
 * The forward step goes from node `node` of some level to its 2^q descendants q levels below. The
 * inverse step goes back, without the factor 2^-q. If the node's ring has L coefficients, values
 * a[k] and a[k + 1] are L / 2^q coefficients apart. All values are lazy residues (modular.h) before
 * and after a step. The table has the factors of nodes as pairs {w, quotient}. The pair of node b
 * begins at w[2 b]. */
#ifndef RADIX_H
#define RADIX_H

#include "kernels/common/modular.h"

/*@ requires \valid(a) && \valid(b) && \separated(a, b) && is_modulus(m.p, m.pinv) && m.zero == 0;
    requires *a < 2 * m.p && f.w < m.p && f.quotient == 0x100000000 * f.w / m.p;
    assigns *a, *b;
    ensures *a < 2 * m.p && *b < 2 * m.p; */
FN void forward_butterfly(u32 *a, u32 *b, struct factor f, struct modulus m) {
    u32 u = mod_canonical(*a, m.p), v = mod_canonical(lazy_mul(*b, f, m.p), m.p);
    *a = lazy_add(u, v, m);
    *b = lazy_sub(u, v, m);
}

/*@ requires \valid(a) && \valid(b) && \separated(a, b) && is_modulus(m.p, m.pinv) && m.zero == 0;
    requires *a < 2 * m.p && *b < 2 * m.p && f.w < m.p && f.quotient == 0x100000000 * f.w / m.p;
    assigns *a, *b;
    ensures *a < 2 * m.p && *b < 2 * m.p; */
FN void inverse_butterfly(u32 *a, u32 *b, struct factor f, struct modulus m) {
    u32 u = mod_canonical(*a, m.p), v = mod_canonical(*b, m.p);
    *a = lazy_add(u, v, m);
    *b = lazy_mul(lazy_sub(u, v, m), f, m.p);
}

/* Loads the factors of nodes (rings of the transform's tree, tables.h) n to n + count - 1. count is
 * a power of 2 that divides n. */
#define FACTORS(space, suffix)                                                                     \
    FN void factors##suffix(struct factor *f, space const u32 *w, u32 n, u32 count) {              \
        if (count == 1)                                                                            \
            LOAD2(space, f[0].w, f[0].quotient, w + 2 * n);                                        \
        UNROLL for (u32 k = 0; k + 1 < count; k += 2) {                                            \
            u32 two[4];                                                                            \
            LOAD4(space, two, w + 2 * (n + k));                                                    \
            f[k].w = two[0], f[k].quotient = two[1];                                               \
            f[k + 1].w = two[2], f[k + 1].quotient = two[3];                                       \
        }                                                                                          \
    }

/* Define the forward and the inverse step of q levels. Level l of a step has 2^l blocks, and each
 * block 2^(q - 1 - l) butterflies. */
#define RADIX(q, space, suffix)                                                                    \
    FN void radix_forward_##q##suffix(u32 *a, space const u32 *w, u32 node, struct modulus m) {    \
        UNROLL for (u32 l = 0; l < q; l++) {                                                       \
            struct factor f[1 << (q - 1)];                                                         \
            u32 gap = 1u << (q - 1 - l);                                                           \
            factors##suffix(f, w, node << l, 1u << l);                                             \
            UNROLL for (u32 k = 0; k < 1u << (q - 1); k++) {                                       \
                u32 i = (k & ~(gap - 1)) << 1 | (k & (gap - 1));                                   \
                forward_butterfly(a + i, a + i + gap, f[k >> (q - 1 - l)], m);                     \
            }                                                                                      \
        }                                                                                          \
    }                                                                                              \
    FN void radix_inverse_##q##suffix(u32 *a, space const u32 *w, u32 node, struct modulus m) {    \
        UNROLL for (u32 done = 0; done < q; done++) {                                              \
            struct factor f[1 << (q - 1)];                                                         \
            u32 l = q - 1 - done, gap = 1u << done;                                                \
            factors##suffix(f, w, node << l, 1u << l);                                             \
            UNROLL for (u32 k = 0; k < 1u << (q - 1); k++) {                                       \
                u32 i = (k & ~(gap - 1)) << 1 | (k & (gap - 1));                                   \
                inverse_butterfly(a + i, a + i + gap, f[k >> done], m);                            \
            }                                                                                      \
        }                                                                                          \
    }

FACTORS(GLOBAL, )
RADIX(1, GLOBAL, )
RADIX(2, GLOBAL, )
RADIX(3, GLOBAL, )
RADIX(4, GLOBAL, )

#endif
