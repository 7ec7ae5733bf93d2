/* SPDX-License-Identifier: LGPL-3.0-or-later
 * One pass of a Schoenhage-Strassen transform: LOG_R levels at once, over coefficients modulo B^P
 * + 1 (ssa_shift.h). A coefficient has P = 2^log_p digits to the base B.
 *
 * The root of order R = 2^LOG_R is B^D with D = 2P / R. So multiplication by a power of the root
 * moves digits by a multiple of D places. Digits w0, w0 + D, w0 + 2D, ... of the R coefficients,
 * for one w0 < D, are called a set: the transform combines them only with one another. A group
 * transforms the sets of C adjacent w0.
 *
 * A set is transformed in two steps. Let R = 8 Q.
 * - First step: a work-item holds 4 digits, P/4 apart, of each of 8 coefficients, which are Q
 *   apart. These digits are a set for R = 8. Their transform needs only additions and
 *   subtractions: to move a digit, the code uses another register.
 * - Between the steps, the multiplication by powers of the R-th root selects places in local
 *   memory.
 * - Second step: a work-item holds sets of Q coefficients of Q/2 digits. For R = 8 this step is
 *   omitted.
 *
 * When coefficients are loaded, they are multiplied by twiddle factors and weights, which are
 * shifts. This also resolves their digits. Shifted digits come from other places, so a pass
 * cannot work in place.
 *
 * Bounds: loaded and resolved digits are within SSA_SETTLED of 0. A pass adds up R of them, so
 * the results are within R SSA_SETTLED <= SSA_LOADED = 2^29 + 2^12. Such digits fit a word, and
 * may be loaded again. */
#include "kernels/ssa/ssa.h"
#include "kernels/ssa/ssa_shift.h"

#define LOG_Q (LOG_R - 3)
#if LOG_R < 3 || LOG_R > 5
#error "LOG_R: levels of the pass, 3 to 5"
#endif
#define R (1 << LOG_R)
#define Q (1 << LOG_Q)
#define LOG_C SSA_LOG_COLUMNS(LOG_R)
#define C (1 << LOG_C)
#define THREADS (Q * Q * C)
#define SHARE_WORDS (LOG_R == 3 ? 1 : R * (R / 2) * C)
/* The number of sets that a work-item has in the second step. Such a set has Q = R / 8 coefficients
 * of Q/2 digits. */
#define SETS (64 / (Q * Q))

/* Computes the transform of 2^q coefficients of 2^(q-1) digits, a[coefficient][digit]; the output
 * is in bit-reversed order. Multiplication by power e of the root moves digits up by e places, and
 * negates digits that wrap around at the top. */
#define DFT(q)                                                                                     \
    FN void dft_##q(s32 *a) {                                                                      \
        UNROLL for (u32 l = 0; l < q; l++) {                                                       \
            UNROLL for (u32 i = 0; i < 1u << (q - 1); i++) {                                       \
                const u32 gap = 1u << (q - 1 - l), digits = 1u << (q - 1);                         \
                const u32 e = (i & (gap - 1)) << l;                                                \
                s32 *u = a + ((i & ~(gap - 1)) * 2 + (i & (gap - 1))) * digits,                    \
                    *v = u + gap * digits, difference[1 << (q - 1)];                               \
                UNROLL for (u32 m = 0; m < digits; m++) {                                          \
                    difference[m] = u[m] - v[m];                                                   \
                    u[m] += v[m];                                                                  \
                }                                                                                  \
                UNROLL for (u32 m = 0; m < digits; m++) v[(m + e) & (digits - 1)] =                \
                    ((m + e) & digits) ? -difference[m] : difference[m];                           \
            }                                                                                      \
        }                                                                                          \
    }
DFT(3)
#if LOG_R == 4
DFT(1)
#define dft_q dft_1
#elif LOG_R == 5
DFT(2)
#define dft_q dft_2
#endif

FN u32 reversed(u32 i, u32 bits) {
    u32 r = (i & 1) << 2 | (i & 2) | (i & 4) >> 2;
    return r >> (3 - bits);
}

/* The data of a group: digits of R coefficients. The coefficients are at the places offset + i
 * 2^log_s of a segment, for i = 0 to R - 1. The group transforms C sets of their digits; the first
 * set begins at digit `column`. */
struct place {
    u32 log_p, log_s, segment, offset, column;
};

FN struct place place_of_group(u32 log_p, u32 log_s) {
    u32 log_tiles = log_p + 1 - LOG_R - LOG_C, rest = GROUP_X >> log_tiles;
    struct place at;
    at.log_p = log_p;
    at.log_s = log_s;
    at.segment = rest >> log_s;
    at.offset = rest & ((1u << log_s) - 1u);
    at.column = (GROUP_X & ((1u << log_tiles) - 1u)) << LOG_C;
    return at;
}

/* Returns the number of the coefficient that is number `row` of the group's R coefficients. */
FN u32 coefficient(u32 row, struct place at) {
    return (at.segment << LOG_R | row) << at.log_s | at.offset;
}

/* The places of this work-item's digits in the first step: digits first + P/4 m of rows row + Q k,
 * for m < 4 and k < 8. */
struct first_step {
    u32 row, m, column;
};
FN struct first_step first_step_of_item(void) {
    struct first_step t = {LOCAL_ID / (Q * C), LOCAL_ID / C % Q, LOCAL_ID % C};
    return t;
}
FN u32 first_digit(struct first_step t, u32 m, struct place at) {
    return at.column + t.column + ((t.m + Q * m) << (at.log_p + 1 - LOG_R));
}

#if LOG_R == 3
/* Computes the transform of a[8][4] and stores it in `to`. */
FN void transform(GLOBAL s32 *to, s32 *a, LOCAL s32 *share, u32 inverse, struct place at) {
    struct first_step t = first_step_of_item();
    (void)share;
    dft_3(a);
    UNROLL
    for (u32 i = 0; i < 8; i++) {
        u32 k = reversed(i, 3);
        GLOBAL s32 *x = to + ((u64)coefficient(inverse ? (8 - k) & 7 : k, at) << at.log_p);
        UNROLL
        for (u32 m = 0; m < 4; m++)
            x[first_digit(t, m, at)] = a[4 * i + m];
    }
}

#else
/* Computes the transform of the digits in a[8][4] of all work-items of the group and stores it in
 * `to`. */
FN void transform(GLOBAL s32 *to, s32 *a, LOCAL s32 *share, u32 inverse, struct place at) {
    struct first_step t = first_step_of_item();
    dft_3(a);
    UNROLL
    for (u32 i = 0; i < 8; i++) {
        u32 k = reversed(i, 3);
        UNROLL
        for (u32 m = 0; m < 4; m++) {
            u32 place = t.m + Q * m + t.row * k;
            share[((k * Q + t.row) * (R / 2) + (place & (R / 2 - 1))) * C + t.column] =
                place & (R / 2) ? -a[4 * i + m] : a[4 * i + m];
        }
    }
    BARRIER();
    UNROLL
    for (u32 s = 0; s < SETS; s++) {
        u32 set = LOCAL_ID + s * THREADS, k = set / (8 * C), m = set / C % 8, c = set % C;
        s32 b[Q * Q / 2];
        UNROLL
        for (u32 i = 0; i < Q * Q / 2; i++)
            b[i] = share[((k * Q + i / (Q / 2)) * (R / 2) + m + i % (Q / 2) * 8) * C + c];
        dft_q(b);
        UNROLL
        for (u32 i = 0; i < Q; i++) {
            u32 row = k + 8 * reversed(i, LOG_Q);
            GLOBAL s32 *x =
                to + ((u64)coefficient(inverse ? (R - row) & (R - 1) : row, at) << at.log_p);
            UNROLL
            for (u32 j = 0; j < Q / 2; j++)
                x[at.column + c + ((m + 8 * j) << (at.log_p + 1 - LOG_R))] = b[i * (Q / 2) + j];
        }
    }
}

#endif

/* A work-item loads its 8 coefficients, 4 digits of each, by evaluating the expression `digit`. i
 * is the number of the coefficient. */
#define LOAD(i, coefficient_i, digit)                                                              \
    UNROLL for (u32 k = 0; k < 8; k++) {                                                           \
        u32 row = t.row + Q * k, i = coefficient(row, at);                                         \
        coefficient_i;                                                                             \
        UNROLL for (u32 m = 0; m < 4; m++) {                                                       \
            u32 w = first_digit(t, m, at);                                                         \
            a[4 * k + m] = digit;                                                                  \
        }                                                                                          \
    }

/* The first pass; it takes its coefficients from an operand {src + src_at, words}, `bits` bits
 * each. There is one group for each tile of the digits of all coefficients. */
KERNEL_DENSE(THREADS, SSA_DENSE / THREADS)
ssa_first(GLOBAL s32 *RESTRICT to, u32 log_p, u32 log_s, GLOBAL const u32 *RESTRICT src, u64 src_at,
          u64 words, u32 bits) {
    LOCAL_ARRAY(s32, share, SHARE_WORDS);
    struct place at = place_of_group(log_p, log_s);
    struct first_step t = first_step_of_item();
    s32 a[32];
    LOAD(i, struct cut x = cut_of(src + src_at, words, i, bits), digit_cut(x, w))
    transform(to, a, share, 0, at);
}

/* Loads coefficients as ssa_first does, for products modulo x^N + 1: also multiplies coefficient i
 * by its weight, which is power i of a root of order 2N = 2R << log_s. */
FN void load_weighted(s32 *a, GLOBAL const u32 *src, u64 words, u32 bits, struct first_step t,
                      struct place at, enum shifts kind) {
    u32 log_order = LOG_R + at.log_s + 1;
    LOAD(i, struct cut x = cut_of(src, words, i, bits);
         struct shift by = shift_of(SSA_EXPONENT(i, log_order, at.log_p)),
         cut_shifted(x, w, by, at.log_p, kind))
}

KERNEL_DENSE(THREADS, SSA_DENSE / THREADS)
ssa_weighted(GLOBAL s32 *RESTRICT to, u32 log_p, u32 log_s, GLOBAL const u32 *RESTRICT src,
             u64 src_at, u64 words, u32 bits) {
    LOCAL_ARRAY(s32, share, SHARE_WORDS);
    struct place at = place_of_group(log_p, log_s);
    struct first_step t = first_step_of_item();
    s32 a[32];
    src += src_at;
    if (SSA_STEP(LOG_R + log_s + 1, log_p) > 0)
        load_weighted(a, src, words, bits, t, at, BY_BITS);
    else
        load_weighted(a, src, words, bits, t, at, BY_HALVES);
    transform(to, a, share, 0, at);
}

/* Loads the coefficients for a pass after the first, multiplied by their twiddle factors. s is
 * log_s.
 *
 * Forward, log_before levels came before (0: none). The coefficients are in 2^log_before
 * segments. Coefficient i of segment k is multiplied by w^(i k), where w is a root of unity of
 * order R 2^(s + log_before).
 *
 * Inverse: coefficient i of row k is multiplied by w^(-i k), where w is a root of order R 2^s.
 * The inverse pass before did not do this multiplication. */
FN void load_twisted(s32 *a, GLOBAL const s32 *from, u32 log_before, u32 inverse,
                     struct first_step t, struct place at, enum shifts kind) {
    u32 before = at.segment & ((1u << log_before) - 1u);
    u32 log_order = LOG_R + at.log_s + (inverse ? 0u : log_before);
    LOAD(i, u32 e = inverse ? row * at.offset : (row << at.log_s | at.offset) * before;
         u32 h = SSA_EXPONENT(e, log_order, at.log_p);
         struct shift by = shift_of(inverse && h > 0 ? SSA_ORDER(at.log_p) - h : h);
         GLOBAL const s32 *x = from + ((u64)i << at.log_p),
         stored_shifted(x, w, by, at.log_p, kind))
}

/* Computes any pass after the first, on segments of R << log_s coefficients. */
KERNEL_DENSE(THREADS, SSA_DENSE / THREADS)
ssa_pass(GLOBAL s32 *RESTRICT to, GLOBAL const s32 *RESTRICT from, u32 log_p, u32 log_s,
         u32 log_before, u32 inverse) {
    LOCAL_ARRAY(s32, share, SHARE_WORDS);
    struct place at = place_of_group(log_p, log_s);
    struct first_step t = first_step_of_item();
    enum shifts kind = SHIFTS_OF(SSA_STEP(LOG_R + log_s + (inverse ? 0u : log_before), log_p));
    s32 a[32];
    if (kind == BY_WORDS)
        load_twisted(a, from, log_before, inverse, t, at, BY_WORDS);
    else if (kind == BY_BITS)
        load_twisted(a, from, log_before, inverse, t, at, BY_BITS);
    else
        load_twisted(a, from, log_before, inverse, t, at, BY_HALVES);
    transform(to, a, share, inverse, at);
}
