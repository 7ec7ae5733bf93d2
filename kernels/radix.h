/* SPDX-License-Identifier: LGPL-3.0-or-later
 * Steps of q levels of the tree (tables.h) on 2^q values in registers: forward
 * from node `node` of some level to its 2^q descendants q levels below, and back
 * (without the factor 2^-q).  Values a[k] stand L / 2^q coefficients apart. */
#ifndef RADIX_H
#define RADIX_H

#include "modular.h"

struct modulus {
    u32 p, pinv;
};

#define RADIX(q)                                                                                   \
    FN void radix_forward_##q(u32 *a, GLOBAL const u32 *w, u32 node, struct modulus m) {           \
        UNROLL for (int l = 0; l < q; l++) {                                                       \
            UNROLL for (int k = 0; k < 1 << (q - 1); k++) {                                        \
                int gap = q - 1 - l, block = k >> gap;                                             \
                int i = block << (gap + 1) | (k & ((1 << gap) - 1)), j = i + (1 << gap);           \
                u32 v = mod_mul(a[j], w[(node << l) + block], m.p, m.pinv);                        \
                a[j] = mod_sub(a[i], v, m.p);                                                      \
                a[i] = mod_add(a[i], v, m.p);                                                      \
            }                                                                                      \
        }                                                                                          \
    }                                                                                              \
    FN void radix_inverse_##q(u32 *a, GLOBAL const u32 *wi, u32 node, struct modulus m) {          \
        UNROLL for (int l = q - 1; l >= 0; l--) {                                                  \
            UNROLL for (int k = 0; k < 1 << (q - 1); k++) {                                        \
                int gap = q - 1 - l, block = k >> gap;                                             \
                int i = block << (gap + 1) | (k & ((1 << gap) - 1)), j = i + (1 << gap);           \
                u32 d = mod_sub(a[i], a[j], m.p);                                                  \
                a[i] = mod_add(a[i], a[j], m.p);                                                   \
                a[j] = mod_mul(d, wi[(node << l) + block], m.p, m.pinv);                           \
            }                                                                                      \
        }                                                                                          \
    }
RADIX(1)
RADIX(2)
RADIX(3)
RADIX(4)
#undef RADIX

#endif
