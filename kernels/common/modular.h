/* SPDX-License-Identifier: LGPL-3.0-or-later
 * Arithmetic modulo an odd p < 2^31 in 32-bit words.
 *
 * Residues are canonical, in [0, p), or lazy, in [0, 2p).  Any word may be multiplied; summands are
 * canonical, and their sum is lazy.
 *
 * Montgomery's products have R = 2^32: a factor c is stored as c R mod p, and mod_mul(a, b) is a b
 * / R mod p.  Shoup's products have a constant factor w < p that is stored with its quotient.  On
 * NVIDIA's chips (counted on the H200), a 64-bit product and its high word occupy the multipliers
 * for two steps, a low word for one: five steps (Montgomery) and four (Shoup). */
#ifndef MODULAR_H
#define MODULAR_H

#include "kernels/common/platform.h"

/* The compiler must not know that `zero` is 0 (lazy_add): it comes from the table. */
struct modulus {
    u32 p, pinv, zero; /* pinv = 1/p mod 2^32 */
};

/* a + b mod p: a + b < 2^32, and of s and s - p (wrapped) the smaller is right. */
FN u32 mod_add(u32 a, u32 b, u32 p) {
    u32 s = a + b;
    return MIN32(s, s - p);
}

/* a - b mod p: if a < b the difference wraps to at least 2^32 - p > p. */
FN u32 mod_sub(u32 a, u32 b, u32 p) {
    u32 d = a - b;
    return MIN32(d, d + p);
}

/* a b / 2^32 mod p for a < 2^32, b < p; pinv = 1/p mod 2^32.  Both high words are
 * below p, so the difference is in (-p, p). */
FN u32 mod_mul(u32 a, u32 b, u32 p, u32 pinv) {
    u64 t = (u64)a * b;
    u32 d = (u32)(t >> 32) - MULHI32((u32)t * pinv, p);
    return MIN32(d, d + p);
}

/* The canonical residue of a lazy one. */
FN u32 mod_canonical(u32 a, u32 p) {
    return MIN32(a, a - p);
}

/* Lazy a + b and a - b of canonical a and b.  The sum has a third operand, 0, since ptxas
 * gives additions of two words to the multipliers' pipe, which has enough to do. */
FN u32 lazy_add(u32 a, u32 b, struct modulus m) {
    return a + b + m.zero;
}
FN u32 lazy_sub(u32 a, u32 b, struct modulus m) {
    return a - b + m.p;
}

/* t / 2^32 mod p, lazy, for t < 2^32 p: both high words are below p. */
FN u32 lazy_reduce(u64 t, struct modulus m) {
    return (u32)(t >> 32) - MULHI32((u32)t * m.pinv, m.p) + m.p;
}

/* A constant factor w < p, and floor(2^32 w / p). */
struct factor {
    u32 w, quotient;
};

/* a w mod p, lazy: a quotient / 2^32 is below a w / p by less than a / 2^32, its integer
 * part by less than 1 + a / 2^32 < 2. */
FN u32 lazy_mul(u32 a, struct factor f, u32 p) {
    return a * f.w - MULHI32(a, f.quotient) * p;
}

/* The factor w from c = 2^32 w mod p.  2^32 w = quotient p + c, so modulo 2^32 quotient is
 * -c / p; and with m = c / p mod 2^32, w = (c - m p) / 2^32 mod p. */
FN struct factor factor_of(u32 c, struct modulus m) {
    struct factor f;
    u32 d = c * m.pinv;
    f.w = mod_sub(0u, MULHI32(d, m.p), m.p);
    f.quotient = 0u - d;
    return f;
}

#endif
