/* SPDX-License-Identifier: LGPL-3.0-or-later
 * The kernel of crt.cl for CPUs, with one work-item in a group. It converts sixteen coefficients at
 * a time to integers. It sums these integers one by one, which resolves the carries inside the
 * group. */
#ifndef SIMD_CRT_H
#define SIMD_CRT_H

#include "kernels/common/simd.h"

/* The number of coefficients that a group sums; each is shifted by 64 bits more than the one
 * before. */
#define GROUP_DIGITS (CARRY_CHUNK_ABOVE / 2)
/* A coefficient is below 2^160: the BELOW coefficients before a group's first one reach into the
 * group's words. */
#define BELOW 2

#define LOW_WORDS 0xffffffffUL

/* Returns a w mod p, canonical, for each of the sixteen residues a; f is the factor w. */
FN simd simd_scale(simd a, struct factor f, u32 p) {
    ulong8 x = as_ulong8(a);
    ulong8 even = ((x & LOW_WORDS) * (u64)f.quotient) >> 32, odd = (x >> 32) * (u64)f.quotient;
    simd r = a * f.w - as_uint16(even | (odd & ~LOW_WORDS)) * p;
    return min(r, r - p);
}

/* Returns (a - v) c mod p for each of the sixteen pairs of residues a and v. */
FN simd simd_garner_step(simd a, simd v, u32 c, u32 p) {
    struct factor f;
    f.w = c;
    f.quotient = (u32)(((u64)c << 32) / p);
    return simd_scale(a - v + p, f, p);
}

/* Computes sixteen coefficients from coefficient `at` modulo one prime; does the same as
 * coefficients() in crt.cl. */
FN simd simd_coefficients(GLOBAL const u32 *c, GLOBAL const u32 *q, GLOBAL const u32 *table, u32 at,
                          u32 log_n, u32 m, u32 offset, u32 offset_first) {
    struct simd_modulus mod;
    u32 n = 1u << log_n;
    simd r;
    mod.p = table[TABLE_P];
    if (at < n) {
        struct factor scale;
        LOAD2(GLOBAL, scale.w, scale.quotient, table + TABLE_SCALE_DIGITS + 2 * log_n);
        r = simd_scale(vload16(0, c + at), scale, mod.p);
    } else {
        r = vload16(0, q + (at - n));
    }
    if (at < m)
        r = simd_add(r, vload16(0, q + at), mod);
#if SIGNED
    const u32 pinv = table[TABLE_PINV];
    r = simd_add(r, (simd)(mod_mul(offset, table[TABLE_OFFSET], mod.p, pinv)), mod);
    if (at == 0)
        r.s0 = mod_add(r.s0, mod_mul(offset_first, table[TABLE_OFFSET_FIRST], mod.p, pinv), mod.p);
#endif
    return r;
}

/* Computes x = v[0] + P0 (v[1] + P1 (v[2] + P2 (v[3] + P3 v[4]))) for eight values at once. Each
 * v[i] is in a word of 64 bits. x[0] gets the lowest 64 bits, x[1] the next 64 bits, x[2] the
 * rest. */
FN void simd_combine(ulong8 *x, const ulong8 *v) {
    const u32 p[] = {P0, P1, P2, P3};
    ulong8 words[CRT_WORDS] = {v[PRIMES - 1]};
    UNROLL
    for (int i = PRIMES - 2; i >= 0; i--) {
        ulong8 carry = v[i];
        UNROLL
        for (int k = 0; k < PRIMES - 1 - i; k++) {
            carry += words[k] * (u64)p[i];
            words[k] = carry & LOW_WORDS;
            carry >>= 32;
        }
        words[PRIMES - 1 - i] = carry;
    }
    x[0] = words[0] | words[1] << 32;
    x[1] = words[2] | words[3] << 32;
    x[2] = words[4];
}

/* Computes the integers with residues r[i] modulo prime i: even-numbered integers first, then
 * odd-numbered ones. */
FN void simd_integers(ulong8 x[2][3], const simd *r) {
    simd v[PRIMES];
    ulong8 even[PRIMES], odd[PRIMES];
    v[0] = r[0];
    v[1] = simd_garner_step(r[1], v[0], GARNER_0_1, P1);
    v[2] = simd_garner_step(r[2], v[0], GARNER_0_2, P2);
    v[2] = simd_garner_step(v[2], v[1], GARNER_1_2, P2);
    v[3] = simd_garner_step(r[3], v[0], GARNER_0_3, P3);
    v[3] = simd_garner_step(v[3], v[1], GARNER_1_3, P3);
    v[3] = simd_garner_step(v[3], v[2], GARNER_2_3, P3);
    v[4] = simd_garner_step(r[4], v[0], GARNER_0_4, P4);
    v[4] = simd_garner_step(v[4], v[1], GARNER_1_4, P4);
    v[4] = simd_garner_step(v[4], v[2], GARNER_2_4, P4);
    v[4] = simd_garner_step(v[4], v[3], GARNER_3_4, P4);
    UNROLL
    for (int i = 0; i < PRIMES; i++) {
        even[i] = as_ulong8(v[i]) & LOW_WORDS;
        odd[i] = as_ulong8(v[i]) >> 32;
    }
    simd_combine(x[0], even);
    simd_combine(x[1], odd);
}

/* A sum of coefficients at steps of 64 bits, without the bits below the current step. */
struct running {
    u64 low, high;
};

/* Adds a coefficient at the current step. Returns the sum's lowest 64 bits and moves on to the next
 * step. */
FN u64 running_step(struct running *s, u64 low, u64 middle, u64 high) {
    u64 done = s->low + low, carry = (u64)(done < low), next = s->high + carry;
    high += (u64)(next < carry);
    s->low = next + middle;
    s->high = high + (u64)(s->low < middle);
    return done;
}

KERNEL(1)
crt(GLOBAL u32 *r, u64 r_at, u64 r_step, u64 words, GLOBAL const u32 *RESTRICT y, u64 c_at,
    u64 q_at, GLOBAL const u32 *RESTRICT tables, u32 log_n, u32 m, u32 offset, u32 offset_first,
    GLOBAL u32 *group_flags, GLOBAL u32 *control, u32 resolves) {
    GLOBAL const u32 *c = y + c_at + ((u64)(GROUP_Y * PRIMES) << log_n);
    GLOBAL const u32 *q = y + q_at + (u64)(GROUP_Y * PRIMES) * m;
    r += r_at + GROUP_Y * r_step;
    u32 first = GROUP_X * GROUP_DIGITS, end = first + GROUP_DIGITS, at = first ? first - BELOW : 0;
    struct running sum = {0, 0}, above = {0, 0};
    u64 ones = ~0UL;
    for (u32 block = at / SIMD * SIMD; block < end; block += SIMD) {
        union {
            ulong8 vector[2][3];
            u64 word[2][3][SIMD / 2];
        } x = {{{0}}};
        if (block < (1u << log_n) + m) {
            simd residues[PRIMES];
            UNROLL
            for (int i = 0; i < PRIMES; i++)
                residues[i] = simd_coefficients(c + ((u64)i << log_n), q + (u64)i * m,
                                                tables + i * TABLE_WORDS, block, log_n, m, offset,
                                                offset_first);
            simd_integers(x.vector, residues);
        }
        for (; at < end && at < block + SIMD; at++) {
            u32 odd = at % 2, k = at % SIMD / 2;
            u64 low = x.word[odd][0][k], middle = x.word[odd][1][k], high = x.word[odd][2][k];
            u64 done = running_step(&sum, low, middle, high), word = 2 * (u64)at;
            if (at >= end - BELOW)
                running_step(&above, low, middle, high);
            if (at < first)
                continue;
            ones &= done;
            if (word < words)
                r[word] = (u32)done;
            if (word + 1 < words)
                r[word + 1] = (u32)(done >> 32);
        }
    }
    /* `above` is what this group's last BELOW coefficients add to the next group's words. The
     * next group computes and adds `above` itself. If the sum above this group's words exceeds
     * `above`, it does so by 1, the carry. */
    group_flags[GROUP_Y * GROUPS_X + GROUP_X] = sum.low != above.low ? CARRY_GENERATE
                                                : ones == ~0UL       ? CARRY_PROPAGATE
                                                                     : 0u;
}

#endif
