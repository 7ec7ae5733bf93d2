/* SPDX-License-Identifier: LGPL-3.0-or-later
 * Computes the integer below the product of the five primes from its residues, by Garner's
 * mixed-radix digits: x = v0 + P0 (v1 + P1 (v2 + P2 (v3 + P3 v4))). */
#ifndef CRT_H
#define CRT_H

#include "kernels/common/modular.h"
#include "kernels/common/primes.h"

#define CRT_WORDS 5

/* Computes x = x p + v over n words. The result must fit n words. */
FN void words_mul_add(u32 *x, int n, u32 p, u32 v) {
    u64 carry = v;
    UNROLL
    for (int i = 0; i < n; i++) {
        carry += (u64)x[i] * p;
        x[i] = (u32)carry;
        carry >>= 32;
    }
}

/* Returns (a - v) c mod p, for canonical residues a and v and a constant c < p. */
FN u32 garner_step(u32 a, u32 v, u32 c, u32 p) {
    struct factor f;
    f.w = c;
    f.quotient = (u32)(((u64)c << 32) / p);
    return mod_canonical(lazy_mul(a - v + p, f, p), p);
}

/* Computes {x, CRT_WORDS} from the residues r[i] modulo Pi. Each mixed-radix digit vi is below Pi.
 * The primes are ascending, so vi is also a residue modulo all later primes. */
FN void crt_combine(u32 *x, const u32 *r) {
    u32 v0 = r[0];
    u32 v1 = garner_step(r[1], v0, GARNER_0_1, P1);
    u32 v2 = garner_step(r[2], v0, GARNER_0_2, P2);
    v2 = garner_step(v2, v1, GARNER_1_2, P2);
    u32 v3 = garner_step(r[3], v0, GARNER_0_3, P3);
    v3 = garner_step(v3, v1, GARNER_1_3, P3);
    v3 = garner_step(v3, v2, GARNER_2_3, P3);
    u32 v4 = garner_step(r[4], v0, GARNER_0_4, P4);
    v4 = garner_step(v4, v1, GARNER_1_4, P4);
    v4 = garner_step(v4, v2, GARNER_2_4, P4);
    v4 = garner_step(v4, v3, GARNER_3_4, P4);
    x[0] = v4, x[1] = 0, x[2] = 0, x[3] = 0, x[4] = 0;
    words_mul_add(x, 2, P3, v3);
    words_mul_add(x, 3, P2, v2);
    words_mul_add(x, 4, P1, v1);
    words_mul_add(x, 5, P0, v0);
}

/* Computes x += y 2^(32 at), for {x, xn} and {y, CRT_WORDS}. The sum must fit xn words. */
FN void words_add_at(u32 *x, int xn, int at, const u32 *y) {
    u32 carry = 0;
    UNROLL
    for (int i = at; i < xn; i++) {
        u64 t = (u64)x[i] + (i - at < CRT_WORDS ? y[i - at < CRT_WORDS ? i - at : 0] : 0u) + carry;
        x[i] = (u32)t;
        carry = (u32)(t >> 32);
    }
}

#endif
