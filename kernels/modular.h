/* SPDX-License-Identifier: LGPL-3.0-or-later
 * Arithmetic modulo an odd p < 2^31 by Montgomery's method with R = 2^32.
 * Residues are canonical, in [0, p).  mod_mul(a, b) is a b / R mod p: a constant
 * kept as c R mod p ("Montgomery form") multiplies a plain residue by c. */
#ifndef MODULAR_H
#define MODULAR_H

#include "platform.h"

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

#endif
