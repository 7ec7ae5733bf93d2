/* SPDX-License-Identifier: LGPL-3.0-or-later
 * Operations on each coefficient modulo B^P + 1, P = 2^LOG_P digits, by one group for each
 * coefficient: products, and the conversion of redundant digits to an integer.
 *
 * Products. Transforms in local memory compute the negacyclic convolution of the digits modulo
 * two primes P3 and P4. From its two residues, each result t is computed as a 64-bit integer.
 *
 * Bounds. Operands are resolved when they are loaded, so digits are at most DIGIT_SETTLED in
 * magnitude. So |t| <= P DIGIT_SETTLED^2 < 2^12 2^46 (1 + 2^-15)^2 < 2^59, which is below half of
 * P3 P4 > 2^61. A t is split into three components, which are added to three adjacent digits of
 * the product. The magnitude of these digits is at most B/2 + B/2 + 2^11 + 1. */
#include "kernels/ssa/ssa.h"

#define LOG_M LOG_P
#if LOG_P < SSA_MIN_LOG_P || LOG_P > SSA_MAX_LOG_P
#error "LOG_P: 8 to 12"
#endif
#if SSA_LOG_VALUES(LOG_P) == 2
#define LOG_V 2
#elif SSA_LOG_VALUES(LOG_P) == 3
#define LOG_V 3
#else
#define LOG_V 4
#endif
#include "kernels/ntt/group_transform.h"

#define RUN (1 << SSA_LOG_RUN)
#define CARRY_THREADS (1 << (LOG_P - SSA_LOG_RUN))
#include "kernels/common/carry.h"
#include "kernels/common/crt.h"
#include "kernels/ssa/ssa_shift.h"

#define P (1u << LOG_P)

/* Loads the coefficient's digits, resolves them, and converts them to residues modulo p. */
FN void load(u32 *a, GLOBAL const s32 *x, struct place at) {
    struct shift none = {0, 0, 0};
    EACH(j, LOG_V - TOP)
    EACH(k, TOP) {
        s32 d = stored_shifted(x, TOP_POINT(j, k), none, LOG_P, BY_WORDS);
        a[(j << TOP) + k] = (u32)d + (d < 0 ? at.m.p : 0u);
    }
}

/* Returns the integer within P3 P4 / 2 of 0 that has residue r modulo P3 and s modulo P4. */
FN s64 integer_of(u32 r, u32 s) {
    const u64 all = (u64)P3 * P4;
    u64 t = r + (u64)P3 * garner_step(s, r, GARNER_3_4, P4);
    return (s64)(t > all / 2 ? t - all : t);
}

/* Returns digit w of a group's local memory, for w < P; digit -1 is digit P - 1 negated. */
FN s32 shared_negacyclic(LOCAL const u32 *share, u32 w) {
    s32 d = (s32)share[w & (P - 1)];
    return w & P ? -d : d;
}

/* Computes the digits of x from the integers t. Integer t[(j << TOP) + k] is the value at digit
 * TOP_POINT(j, k). */
FN void store(GLOBAL s32 *x, const s64 *t, LOCAL u32 *share) {
    s32 d[VALUES];
    EACH(j, LOG_V - TOP)
    EACH(k, TOP) {
        u32 i = (j << TOP) + k;
        d[i] = digit_low(t[i]);
        share[TOP_POINT(j, k)] = (u32)digit_low(digit_rest(t[i]));
    }
    BARRIER();
    EACH(j, LOG_V - TOP)
    EACH(k, TOP) d[(j << TOP) + k] += shared_negacyclic(share, TOP_POINT(j, k) - 1);
    BARRIER();
    EACH(j, LOG_V - TOP)
    EACH(k, TOP) share[TOP_POINT(j, k)] = (u32)digit_rest2(t[(j << TOP) + k]);
    BARRIER();
    EACH(j, LOG_V - TOP)
    EACH(k, TOP)
    x[TOP_POINT(j, k)] = d[(j << TOP) + k] + shared_negacyclic(share, TOP_POINT(j, k) - 2);
}

/* Multiplies x by y, or squares x, in place. */
FN void product(GLOBAL s32 *x, GLOBAL const s32 *y, int is_square, GLOBAL const u32 *tables,
                LOCAL u32 *share) {
    u32 a[VALUES], b[VALUES], r[VALUES];
    s64 t[VALUES];
    for (u32 prime = PRIMES - 2; prime < PRIMES; prime++) {
        struct place at = place_of(tables, prime, 1, share);
        load(a, x, at);
        group_forward(a, at);
        BARRIER();
        if (is_square) {
            EACH(k, LOG_V) b[k] = a[k];
        } else {
            load(b, y, at);
            group_forward(b, at);
        }
        EACH(k, LOG_V) a[k] = mod_mul(a[k], mod_canonical(b[k], at.m.p), at.m.p, at.m.pinv);
        group_inverse(a, at.table[TABLE_SCALE + LOG_P], at);
        EACH(k, LOG_V) r[k] = prime == PRIMES - 2 ? a[k] : r[k];
        BARRIER();
    }
    EACH(k, LOG_V) t[k] = integer_of(r[k], a[k]);
    store(x, t, share);
}

/* Multiplies each coefficient of x by the coefficient of y. One group for each coefficient. */
KERNEL_DENSE(THREADS, SSA_DENSE / THREADS)
ssa_multiply(GLOBAL s32 *RESTRICT x, GLOBAL const s32 *RESTRICT y,
             GLOBAL const u32 *RESTRICT tables) {
    LOCAL_ARRAY(u32, share, TRANSFORM_WORDS);
    u64 at = (u64)GROUP_X << LOG_P;
    product(x + at, y + at, 0, tables, share);
}

KERNEL_DENSE(THREADS, SSA_DENSE / THREADS)
ssa_square(GLOBAL s32 *RESTRICT x, GLOBAL const u32 *RESTRICT tables) {
    LOCAL_ARRAY(u32, share, TRANSFORM_WORDS);
    u64 at = (u64)GROUP_X << LOG_P;
    product(x + at, x + at, 1, tables, share);
}

/* Returns what must be added to digit w of this group's coefficient, so that signed coefficients
 * become positive. If top is 0, nothing is added (lib/multiply/ssa_plan.c). Otherwise each
 * coefficient gets 2^top - 2^bottom, and the first one also 2^(bottom + 1). Let there be N
 * coefficients, `bits` bits apart, with top = bottom + bits. Then these constants change the
 * product by 2^bottom (2^(N bits) + 1), a multiple of the modulus. */
FN u32 offset(u32 w, u32 top, u32 bottom) {
    u32 sum = 0;
    if (top > 0 && w == top / DIGIT_BITS)
        sum += 1u << top % DIGIT_BITS;
    if (top > 0 && w == bottom / DIGIT_BITS)
        sum -= 1u << bottom % DIGIT_BITS;
    if (top > 0 && GROUP_X == 0 && w == (bottom + 1) / DIGIT_BITS)
        sum += 1u << (bottom + 1) % DIGIT_BITS;
    return sum;
}

/* The place of digit w in local memory. A run is the 2^SSA_LOG_RUN adjacent digits of a work-item.
 * One place behind each run is unused, so that runs begin in different memory banks. */
#define IN_RUNS(w) ((w) + ((w) >> SSA_LOG_RUN))

/* Loads the work-item's shifted digits, CARRY_THREADS apart. */
FN void shifted_digits(u32 *d, GLOBAL const s32 *x, struct shift by, enum shifts kind) {
    UNROLL
    for (u32 k = 0; k < RUN; k++)
        d[k] = (u32)stored_shifted(x, LOCAL_ID + k * CARRY_THREADS, by, LOG_P, kind);
}

/* Converts each coefficient of x, after all passes of the inverse transform, to an integer in [0,
 * B^P], as digits 0 ... B - 1. The plan keeps the integer below B^P. Also multiplies the
 * coefficient by 1 / N and, if there were weights, by power -i of their root.
 *
 * To make digits positive, the code adds a number that is 0 modulo B^P + 1: 2 (B - 1) to each
 * digit, which sums to 2 (B^P - 1), and 4 to the first digit.
 *
 * - A digit d becomes e = d + 2 (B - 1) + offset. It is in (B/2 - 2^8, 4 B), because |d| <= B + 2^7
 *   and |offset| <= B/2, less if top and bottom share a digit.
 * - Each e is split into lo + B hi, with hi <= 3. The new digit lo[w] + hi[w - 1] is below B + 3.
 * - At the bottom lo[0] - hi[P - 1] + 4 >= 1. So all carries are 0 or 1.
 * - A carry out of the top must be subtracted. So the code adds only 3 to the first digit. It adds
 *   the last 1 as an incoming carry if there is no carry out. */
KERNEL(CARRY_THREADS)
ssa_integer(GLOBAL s32 *x, u32 log_n, u32 weights, u32 top, u32 bottom) {
    LOCAL_ARRAY(u32, share, IN_RUNS(1 << LOG_P));
    LOCAL_ARRAY(u32, flags, CARRY_THREADS);
    LOCAL_ARRAY(u32, rows, 2 * CARRY_ROWS);
    u32 h = 2 * SSA_ORDER(LOG_P) - 2 * log_n, z[RUN], group, first = LOCAL_ID * RUN;
    x += (u64)GROUP_X << LOG_P;
    if (weights)
        h -= SSA_EXPONENT(GROUP_X, log_n + 1, LOG_P);
    struct shift by = shift_of(h % SSA_ORDER(LOG_P));
    const u32 ones = (1u << DIGIT_BITS) - 1u;
    if (by.root2)
        shifted_digits(z, x, by, BY_HALVES);
    else
        shifted_digits(z, x, by, BY_BITS);
    UNROLL
    for (u32 k = 0; k < RUN; k++) {
        u32 w = LOCAL_ID + k * CARRY_THREADS;
        share[IN_RUNS(w)] = z[k] + 2 * ones + offset(w, top, bottom);
    }
    BARRIER_GLOBAL(); /* the code below overwrites digits that other work-items loaded */
    u32 high = share[IN_RUNS((first - 1) & (P - 1))] >> DIGIT_BITS, carry = 0, all = ones;
    if (first == 0)
        high = 3 - high;
    UNROLL
    for (u32 k = 0; k < RUN; k++) {
        u32 e = share[IN_RUNS(first) + k];
        z[k] = (e & ones) + high + carry;
        high = e >> DIGIT_BITS;
        carry = z[k] >> DIGIT_BITS;
        z[k] &= ones;
        all &= z[k];
    }
    carry_rows(carry | (all == ones ? CARRY_PROPAGATE : 0u), flags, rows);
    carry_in_group(rows, 0, 0, &group);
    carry = carry_in_group(rows, 0, 1 - (group & CARRY_GENERATE), &group);
    UNROLL
    for (u32 k = 0; k < RUN; k++) {
        z[k] += carry;
        carry = z[k] >> DIGIT_BITS;
        share[IN_RUNS(first) + k] = z[k] & ones;
    }
    BARRIER();
    UNROLL
    for (u32 k = 0; k < RUN; k++) {
        u32 w = LOCAL_ID + k * CARRY_THREADS;
        x[w] = (s32)share[IN_RUNS(w)];
    }
}
