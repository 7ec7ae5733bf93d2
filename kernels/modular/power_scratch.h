/* SPDX-License-Identifier: LGPL-3.0-or-later
 * The data of work-items that compute a power together, with doubles (the "scratch"): numbers in
 * local memory, a table in device memory, residues for the check. */
#ifndef POWER_SCRATCH_H
#define POWER_SCRATCH_H

#include "kernels/modular/doubles_trace.h"
#include "kernels/modular/power.h"

/* The data of a team (the work-items that share a number). `box` has the digits of the numbers b, a
 * and m; `own` is this work-item's first digit of b. If residues are computed for the check,
 * residue[0] and exponent[0] belong to b, residue[1] and exponent[1] to a. */
struct power_scratch {
    BOX u64 *box, *own;
    GLOBAL u64 *table; /* this work-item's first digit in entry 0 of the table */
    u64 step;          /* 64-bit words from a work-item's digit to its next in the table */
    u64 minv;
    struct team t;
    struct doubles_trace trace;
    u64 residue[2], exponent[2];
    const struct powers *p;
    u64 number, of_base;
    struct exponent e;
    u32 turn, at, has_begun, is_leaving;
};

#define OF_B 0
#define OF_A BOX_SPAN
#define OF_M (2 * BOX_SPAN)

/* Loads {from, words} as number `which` (OF_A, OF_B or OF_M), in signed digits of 52 bits. A digit
 * of 2^51 or more becomes negative, with a carry into the next digit. */
NOINLINE void scratch_load(struct power_scratch *d, u32 which, GLOBAL const u32 *from, u32 words) {
    BOX u64 *to = d->own + which;
    u32 carry = 0, in;
    ROLLED for (u32 k = 0; k < LANE_DIGITS; k++) {
        u32 bit = 52 * (d->t.lane * LANE_DIGITS + k), at = bit / 32, shift = bit % 32;
        u64 low = at < words ? from[at] : 0u, high = at + 2 < words ? from[at + 2] : 0u;
        low |= at + 1 < words ? (u64)from[at + 1] << 32 : 0;
        low = (low >> shift | (shift ? high << (64 - shift) : 0)) & DIGIT_MASK;
        low += DIGIT_HALF;
        to[k] = AS_BITS(digit_of(low & DIGIT_MASK, 0x1p51) + carry);
        carry = (u32)(low >> 52);
    }
    in = double_below(carry, d->t);
    to[0] = AS_BITS(AS_DOUBLE(to[0]) + in);
}

/* Sets the number b of the scratch (OF_B) to 2^bit. */
FN void scratch_power_of_2(struct power_scratch *d, u32 bit) {
    ROLLED for (u32 k = 0; k < LANE_DIGITS; k++) {
        u32 is_there = bit / 52 == d->t.lane * LANE_DIGITS + k;
        d->own[k] = AS_BITS(is_there ? (double)((u64)1 << bit % 52) : 0.0);
    }
    d->residue[0] = d->trace.words.is_on ? doubles_trace_of(d->own, &d->trace.digits, d->t) : 0;
    d->exponent[0] = 0;
}

/* ---- tables of powers: for a base u, entry k is u^k R mod m */

FN GLOBAL u64 *scratch_entry(const struct power_scratch *d, u32 entry, u32 k) {
    u32 each = LANE_DIGITS + (d->trace.words.is_on ? 2 : 0);
    return d->table + ((u64)entry * each + k) * d->step;
}

FN void scratch_put(const struct power_scratch *d, u32 entry) {
    EACH_DIGIT(k) * scratch_entry(d, entry, (u32)k) = d->own[OF_A + k];
    if (d->trace.words.is_on) {
        *scratch_entry(d, entry, LANE_DIGITS) = d->residue[1];
        *scratch_entry(d, entry, LANE_DIGITS + 1) = d->exponent[1];
    }
}

/* Returns word k of this work-item's words of a table entry. If is_secret, which entry it is must
 * not show in the addresses: then reads word k of all entries. */
FN u64 scratch_word(const struct power_scratch *d, u32 entry, u32 k, u32 entries, u32 is_secret) {
    u64 x = 0;
    if (!is_secret)
        return *scratch_entry(d, entry, k);
    for (u32 j = 0; j < entries; j++) {
        u32 differs = j ^ entry;
        u64 mask = (u64)((differs | (0 - differs)) >> 31) - 1u;
        x |= mask & *scratch_entry(d, j, k);
    }
    return x;
}

FN void scratch_get(struct power_scratch *d, u32 entry, u32 entries, u32 is_secret) {
    EACH_DIGIT(k) d->own[k] = scratch_word(d, entry, (u32)k, entries, is_secret);
    if (d->trace.words.is_on) {
        d->residue[0] = scratch_word(d, entry, LANE_DIGITS, entries, is_secret);
        d->exponent[0] = scratch_word(d, entry, LANE_DIGITS + 1, entries, is_secret);
    }
}

/* ---- results */

/* Propagates the carries through the digits of a. Returns the highest digit, which has the sign. */
FN s64 scratch_carry(struct power_scratch *d) {
    u32 lanes = TEAM == 1 ? 1 : d->t.rows / LANE_WORDS, is_top = d->t.lane >= lanes - 1;
    s64 x = 0;
    for (u32 round = 0; round < lanes; round++) {
        s64 carry = 0;
        ROLLED for (u32 k = 0; k < LANE_DIGITS; k++) {
            x = (s64)AS_DOUBLE(d->own[OF_A + k]) + carry;
            carry = x >> 52;
            if (k + 1 < LANE_DIGITS || !is_top)
                x &= (s64)DIGIT_MASK;
            d->own[OF_A + k] = AS_BITS((double)x);
        }
        carry = (s32)double_below(is_top ? 0u : (u32)carry, d->t);
        d->own[OF_A] = AS_BITS(AS_DOUBLE(d->own[OF_A]) + (double)carry);
    }
    return (s64)double_from((u64)x, lanes - 1);
}

/* Adds the modulus (OF_M) to the number a of the scratch (OF_A) if a is negative. Converts a's
 * digits to the range 0 to 2^52 - 1. */
FN void scratch_resolve(struct power_scratch *d) {
    u32 is_negative = scratch_carry(d) < 0;
    ROLLED for (u32 k = 0; k < LANE_DIGITS; k++) {
        double more = is_negative ? AS_DOUBLE(d->own[OF_M + k]) : 0.0;
        d->own[OF_A + k] = AS_BITS(AS_DOUBLE(d->own[OF_A + k]) + more);
    }
    scratch_carry(d);
    if (d->trace.words.is_on)
        d->residue[1] =
            residue_plus(d->residue[1], is_negative ? d->trace.digits.of_m : 0, d->trace.digits.p);
    doubles_meet();
}

FN void scratch_store(const struct power_scratch *d, GLOBAL u32 *to, u32 words) {
    BOX const u64 *a = d->box + OF_A;
    for (u32 j = d->t.lane; j < words; j += TEAM) {
        u32 k = 32 * j / 52, shift = 32 * j % 52;
        u64 x = (u64)AS_DOUBLE(a[k]) >> shift;
        if (shift > 20)
            x |= (u64)AS_DOUBLE(a[k + 1]) << (52 - shift);
        to[j] = (u32)x;
    }
}

#endif
