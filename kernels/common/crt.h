/* SPDX-License-Identifier: LGPL-3.0-or-later
 * Computes an integer x, less than the product of the five primes P0 to P4, from its residues.
 * Garner's algorithm computes x's mixed-radix digits v0 to v4, where vi < Pi. Then x = v0 + P0
 * (v1 + P1 (v2 + P2 (v3 + P3 v4))). */
#ifndef CRT_H
#define CRT_H

#include "kernels/common/modular.h"
#include "kernels/common/primes.h"

#define CRT_WORDS 5

/* Computes x = x p + v over n words. The result must fit n words. */
/*@ requires 0 <= n <= CRT_WORDS && \valid(x + (0 .. n - 1)) && p < 0x80000000 && v < 0x80000000;
    assigns x[0 .. n - 1]; */
FN void words_mul_add(u32 *x, int n, u32 p, u32 v) {
    u64 carry = v;
    UNROLL
    /*@ loop invariant 0 <= i <= n && carry <= 0x7fffffff;
        loop assigns i, carry, x[0 .. n - 1];
        loop variant n - i; */
    for (int i = 0; i < n; i++) {
        //@ assert x[i] * p <= 0xffffffff * 0x7fffffff;
        carry += (u64)x[i] * p;
        x[i] = (u32)carry;
        carry >>= 32;
    }
}

/* Returns (a - v) c mod p, for canonical residues a and v and a constant c < p. */
/*@ requires 0 < p < 0x80000000 && a < p && v < p && c < p;
    assigns \nothing;
    ensures \result < p; */
FN u32 garner_step(u32 a, u32 v, u32 c, u32 p) {
    struct factor f;
    f.w = c;
    //@ assert c * 0x100000000 / p < 0x100000000;
    f.quotient = (u32)(((u64)c << 32) / p);
    return mod_canonical(lazy_mul(a - v + p, f, p), p);
}

/* Computes {x, CRT_WORDS} from the residues r[i] modulo Pi. Each mixed-radix digit vi is below Pi.
 * Because the primes are ascending, vi is also a residue modulo all later primes. */
/*@ requires \valid(x + (0 .. CRT_WORDS - 1)) && \valid_read(r + (0 .. PRIMES - 1));
    requires \separated(x + (0 .. CRT_WORDS - 1), r + (0 .. PRIMES - 1));
    requires r[0] < P0 && r[1] < P1 && r[2] < P2 && r[3] < P3 && r[4] < P4;
    assigns x[0 .. CRT_WORDS - 1]; */
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
/*@ requires 0 <= at <= xn <= 64 && \valid(x + (0 .. xn - 1)) && \valid_read(y + (0 .. CRT_WORDS - 1));
    requires \separated(x + (0 .. xn - 1), y + (0 .. CRT_WORDS - 1));
    assigns x[at .. xn - 1]; */
FN void words_add_at(u32 *x, int xn, int at, const u32 *y) {
    u32 carry = 0;
    UNROLL
    /*@ loop invariant at <= i <= xn && carry <= 1;
        loop assigns i, carry, x[at .. xn - 1];
        loop variant xn - i; */
    for (int i = at; i < xn; i++) {
        u64 t = (u64)x[i] + (i - at < CRT_WORDS ? y[i - at < CRT_WORDS ? i - at : 0] : 0u) + carry;
        x[i] = (u32)t;
        carry = (u32)(t >> 32);
    }
}

#endif
