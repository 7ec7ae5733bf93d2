/* SPDX-License-Identifier: LGPL-3.0-or-later
 * Arithmetic modulo an odd p < 2^31 in 32-bit words. Residues are canonical, in [0, p), or lazy, in
 * [0, 2p). The lazy functions add canonical summands to a lazy sum, and take any word as a.
 * Montgomery's products have R = 2^32: a factor c is stored as c R mod p, and mod_mul(a, b) is a b
 * / R mod p. Shoup's products have a constant factor w < p, which is stored with its quotient. On
 * NVIDIA's chips, Montgomery's product takes five steps of the multipliers and Shoup's takes four
 * (counted on the H200). */
#ifndef MODULAR_H
#define MODULAR_H

#include "kernels/common/platform.h"

/* A prime. `zero` is 0, but is loaded from the table, so that the compiler does not know it
 * (lazy_add). */
struct modulus {
    u32 p, pinv, zero; /* pinv is 1/p mod 2^32 */
};

/* Returns a + b mod p. The sum s is below 2^32; s - p wraps if it is negative, so the smaller one
 * of both is right. */
/*@ requires a < p && b < p && p < 0x80000000;
    assigns \nothing;
    ensures \result == (a + b < p ? a + b : a + b - p); */
FN u32 mod_add(u32 a, u32 b, u32 p) {
    u32 s = a + b;
    return MIN32(s, s - p);
}

/* Returns a - b mod p: the smaller one of d = a - b and d + p, both modulo 2^32. If a < b, d
 * wraps to at least 2^32 - p > p, so d + p is the smaller one. */
/*@ requires a < p && b < p && p < 0x80000000;
    assigns \nothing;
    ensures \result == (a < b ? a - b + p : a - b); */
FN u32 mod_sub(u32 a, u32 b, u32 p) {
    u32 d = a - b;
    return MIN32(d, d + p);
}

/* Returns a b / 2^32 mod p for any a and for b < p; pinv = 1/p mod 2^32. The high words of a b and
 * of the subtracted multiple of p are below p. So their difference is in (-p, p). */
/*@ requires b < p && is_modulus(p, pinv);
    assigns \nothing;
    ensures \result < p;
    ensures 0x100000000 * \result % p == a * b % p; */
FN u32 mod_mul(u32 a, u32 b, u32 p, u32 pinv) {
    u64 t = (u64)a * b;
    u32 d = (u32)(t >> 32) - MULHI32((u32)t * pinv, p);
    return MIN32(d, d + p);
}

/* Returns the canonical residue of the lazy residue a. */
/*@ requires a < 2 * p && p < 0x80000000;
    assigns \nothing;
    ensures \result == (a < p ? a : a - p); */
FN u32 mod_canonical(u32 a, u32 p) {
    return MIN32(a, a - p);
}

/* Return a + b and a - b as lazy residues, for canonical a and b. The sum has 0 as a third operand.
 * Without it, ptxas would issue the addition to the pipe of the multipliers, which is the
 * bottleneck. */
/*@ requires a < m.p && b < m.p && m.p < 0x80000000 && m.zero == 0;
    assigns \nothing;
    ensures \result == a + b; */
FN u32 lazy_add(u32 a, u32 b, struct modulus m) {
    return a + b + m.zero;
}
/*@ requires a < m.p && b < m.p && m.p < 0x80000000;
    assigns \nothing;
    ensures \result == a - b + m.p; */
FN u32 lazy_sub(u32 a, u32 b, struct modulus m) {
    return a - b + m.p;
}

/* Returns t / 2^32 mod p as a lazy residue, for t < 2^32 p. The high words of t and of the
 * subtracted multiple of p are below p. */
/*@ requires t < 0x100000000 * m.p && is_modulus(m.p, m.pinv);
    assigns \nothing;
    ensures \result < 2 * m.p;
    ensures 0x100000000 * \result % m.p == t % m.p; */
FN u32 lazy_reduce(u64 t, struct modulus m) {
    return (u32)(t >> 32) - MULHI32((u32)t * m.pinv, m.p) + m.p;
}

/* A factor of Shoup's products: w < p, and floor(2^32 w / p). */
struct factor {
    u32 w, quotient;
};

/* Returns a w mod p as a lazy residue, for any word a. q = floor(a quotient / 2^32) is at most a w
 * / p, and above a w / p - 2. So a w - q p is below 2 p. */
/*@ requires 0 < p < 0x80000000 && f.w < p;
    requires f.quotient == 0x100000000 * f.w / p;
    assigns \nothing;
    ensures \result < 2 * p;
    ensures \result % p == a * f.w % p; */
FN u32 lazy_mul(u32 a, struct factor f, u32 p) {
    return a * f.w - MULHI32(a, f.quotient) * p;
}

/* Returns the factor w with 2^32 w = c modulo p, and its `quotient` floor(2^32 w / p). Let d = c
 * / p modulo 2^32. Then w = (c - d p) / 2^32 modulo p. The quotient is -d modulo 2^32, because
 * 2^32 w = quotient p + c. */
/*@ requires c < m.p && is_modulus(m.p, m.pinv);
    assigns \nothing;
    ensures \result.w < m.p;
    ensures 0x100000000 * \result.w % m.p == c;
    ensures \result.quotient == 0x100000000 * \result.w / m.p; */
FN struct factor factor_of(u32 c, struct modulus m) {
    struct factor f;
    u32 d = c * m.pinv;
    f.w = mod_sub(0u, MULHI32(d, m.p), m.p);
    f.quotient = 0u - d;
    return f;
}

#endif
