/* SPDX-License-Identifier: LGPL-3.0-or-later
 * Computes gcds and inverses of many pairs of numbers. A team of work-items has a number's digits
 * in registers, DIGITS digits in each work-item (doc/design/euclid-batches.md). */
#include "kernels/check/residue.h"
#include "kernels/modular/divsteps.h"

/* The number of jumps (divsteps.h) between two tests whether all numbers are done. */
#define LOOK 4

/* Returns the number of zero bits below the lowest 1 of {x, words}; ~0 if it is zero. */
FN u32 low_zeros(GLOBAL const u32 *x, u32 words, struct team t) {
    u32 i = t.lane, zeros = ~0u;
    while (i < words && x[i] == 0)
        i += t.size;
    if (i < words)
        zeros = 32 * i + 31 - LEADING_ZEROS32(x[i] & (0u - x[i]));
    return least_of_team(t, zeros);
}

FN u32 any_bit(const u32 *x, struct team t) {
    u32 any = 0;
    UNROLL_DIGITS
    for (u32 i = 0; i < COUNT(t); i++)
        any |= x[i];
    return any;
}

/* Resolves the carries of f, and replaces f by |f|. Returns 1 if f was negative. */
FN u32 resolve_positive(u32 *f, struct team t) {
    digits_resolve(f, t, 0);
    u32 negative = digits_are_negative(f, t);
    digits_negate(f, t, 0u - negative);
    digits_resolve(f, t, 0);
    return negative;
}

FN void start_matrix(u64 *p) {
    p[0] = p[3] = 1;
    p[1] = p[2] = 0;
}

/* Computes r = gcd(u, v), of `words` words each, in at most `most` jumps. If `track`, writes the
 * record of each number for euclid_check.cl. */
KERNEL_DENSE(EUCLID_THREADS, EUCLID_GROUPS_OF(DIGITS))
batch_gcd(GLOBAL u32 *r, GLOBAL u64 *record, GLOBAL const u32 *u, GLOBAL const u32 *v, u64 first,
          u64 count, u32 words, u32 size, u32 most, u32 track, GLOBAL const u32 *table_words,
          u64 table_at) {
    BOX_ARRAY(box);
    GLOBAL const u64 *table = (GLOBAL const u64 *)(table_words + table_at);
    const u64 m = table[RESIDUE_M], minv = table[RESIDUE_MINV];
    const struct team t = team_of(size, box);
    const struct place place = place_of(first, count, t);
    u32 x[2][ROOM], low[2], jumps = 0;
    u64 p[4];
    s32 delta = 1;
    u += place.index * words;
    v += place.index * words;
    u32 of_u = low_zeros(u, words, t), of_v = low_zeros(v, words, t);
    u32 swapped = of_v < of_u, zeros = swapped ? of_v : of_u;
    zeros = zeros == ~0u ? 0u : zeros;
    digits_load(x[0], t, swapped ? v : u, words, (s32)zeros);
    digits_load(x[1], t, swapped ? u : v, words, (s32)zeros);
    FIRST_DIGITS(t, x, low, 2);
    start_matrix(p);
    u32 go = greatest_together(t, any_bit(x[1], t));
    while (go && jumps < most) {
        for (int i = 0; i < LOOK; i++) {
            struct jump j = divsteps(low[0], low[1], &delta);
            struct leaves leave[2];
            combine(x[0], x[1], t, j, &leave[0], &leave[1]);
            EXCHANGE(t, x, leave, low, 2);
            if (track)
                residue_matrix_jump(p, j, m, minv);
        }
        jumps += LOOK;
        go = greatest_together(t, any_bit(x[1], t));
    }
    u32 negative = resolve_positive(x[0], t);
    digits_store(r + place.index * words, words, x[0], t, -(s32)zeros, place.is_there);
    if (track && place.is_there && t.lane == 0) {
        record += place.own * EUCLID_RECORD;
        for (int i = 0; i < 4; i++)
            record[RECORD_MATRIX + i] = p[i];
        record[RECORD_JUMPS] = jumps;
        record[RECORD_FLAGS] = (swapped ? FLAG_SWAPPED : 0u) | (negative ? FLAG_NEGATIVE : 0u);
    }
}

/* Returns 1 if x, whose carries are resolved, is the number 1. */
FN u32 is_one(const u32 *x, struct team t) {
    u32 other = x[0] ^ (t.lane == 0 ? 1u : 0u);
    UNROLL_DIGITS
    for (u32 i = 1; i < COUNT(t); i++)
        other |= x[i];
    return least_of_team(t, other ? 0u : 1u);
}

/* Returns -x/m modulo 2^28, in [-2^27, 2^27). minv is 1/m. */
FN s32 correction(u32 x, u32 minv) {
    return (s32)((0u - x * minv) << (32 - DIGIT_BITS)) >> (32 - DIGIT_BITS);
}

/* The state of batch_inverse. x has f, g and their cofactors modulo `modulus`, the odd operand.
 * `over` tracks the multiples of the modulus that were added to the cofactors. */
struct inverse {
    u32 x[4][ROOM], modulus[ROOM], low[4], inverse, jumps;
    u64 p[4], over[2];
};

/* Begins the computation of an inverse with f = odd and g = other. If both operands are even, there
 * is no inverse: then g is 0, which ends the computation at once. */
FN void start_inverse(struct inverse *w, GLOBAL const u32 *odd, GLOBAL const u32 *other, u32 words,
                      u32 both_even, struct team t) {
    digits_load(w->modulus, t, odd, words, 0);
    digits_load(w->x[1], t, other, words, 0);
    UNROLL_DIGITS
    for (u32 i = 0; i < COUNT(t); i++) {
        w->x[0][i] = w->modulus[i];
        w->x[1][i] = both_even & 1u ? 0u : w->x[1][i];
        w->x[2][i] = 0;
        /* 2^28 instead of 1, because one more division by 2^28 follows at the end */
        w->x[3][i] = i == 1 && t.lane == 0;
    }
    start_matrix(w->p);
    w->over[0] = w->over[1] = 0;
    w->jumps = 0;
}

FN void track_inverse(struct inverse *w, struct jump j, s32 add_d, s32 add_e, u64 m, u64 minv) {
    u64 k = w->over[0];
    residue_matrix_jump(w->p, j, m, minv);
    w->over[0] = residue_jump(j.a, k, j.b, w->over[1], add_d, m, minv);
    w->over[1] = residue_jump(j.c, k, j.d, w->over[1], add_e, m, minv);
}

/* Divides x[2] by 2^28 once more, so that its magnitude is below the modulus. First adds a
 * multiple of the modulus, so that x[2] is divisible. Returns the factor of this multiple. */
FN s32 divide_last(struct inverse *w, struct team t) {
    struct jump last;
    struct leaves leave[2];
    last.a = 1, last.b = 0, last.c = 0, last.d = 1;
    s32 add = correction(w->low[2], w->inverse);
    combine_modulo(w->x[2], w->x[3], t, last, add, correction(w->low[3], w->inverse), w->modulus,
                   &leave[0], &leave[1]);
    team_done(t);
    EXCHANGE(t, (w->x + 2), leave, w->low, 2);
    team_done(t);
    return add;
}

/* The result of a computation. is_inverse: f is 1 or -1, so the inverse exists. negative: f was
 * negative. below_zero: the cofactor was negative after f's sign was applied. */
struct inverse_end {
    u32 negative, below_zero, is_inverse;
};

/* Sets x[0] to |f|, and x[2] to the inverse, or 0 if there is none. */
FN struct inverse_end end_inverse(struct inverse *w, u32 both_even, struct team t) {
    struct inverse_end end;
    end.negative = resolve_positive(w->x[0], t);
    digits_negate(w->x[2], t, 0u - end.negative);
    digits_resolve(w->x[2], t, 0);
    end.below_zero = digits_are_negative(w->x[2], t);
    end.is_inverse = is_one(w->x[0], t) & ~both_even;
    u32 of_one = is_one(w->modulus, t), keep = end.is_inverse && !of_one ? ~0u : 0u;
    UNROLL_DIGITS
    for (u32 i = 0; i < COUNT(t); i++)
        w->x[2][i] = (w->x[2][i] + (end.below_zero ? w->modulus[i] : 0u)) & keep;
    digits_resolve(w->x[2], t, 0);
    return end;
}

FN void record_inverse(GLOBAL u64 *record, const struct inverse *w, struct inverse_end end, s32 add,
                       u32 swapped, u64 m, u64 minv) {
    u64 k = residue_jump(1, w->over[0], 0, 0, add, m, minv);
    k = end.negative ? m - k : k;
    for (int i = 0; i < 4; i++)
        record[RECORD_MATRIX + i] = w->p[i];
    record[RECORD_COFACTOR] = residue_plus(k, end.below_zero, m);
    record[RECORD_JUMPS] = w->jumps;
    record[RECORD_FLAGS] = (swapped ? FLAG_SWAPPED : 0u) | (end.negative ? FLAG_NEGATIVE : 0u) |
                           (end.is_inverse ? FLAG_EXISTS : 0u);
}

/* Computes the inverse of u modulo v. Sets exists to 1 and r to the inverse; sets both to 0 if
 * there is none. Then sets g to the gcd of u and v, unless both are even.
 *
 * If only v is even, r is the inverse of v modulo u instead, and batch_inverse_even must follow.
 * v_step is the distance between two v. r begins with number r_first, g with this launch's first
 * number. */
KERNEL(EUCLID_THREADS)
batch_inverse(GLOBAL u32 *r, GLOBAL u64 *exists, GLOBAL u32 *g, GLOBAL u64 *record,
              GLOBAL const u32 *u, GLOBAL const u32 *v, u64 v_step, u64 r_first, u64 first,
              u64 count, u32 words, u32 size, u32 most, u32 track, GLOBAL const u32 *table_words,
              u64 table_at) {
    BOX_ARRAY(box);
    GLOBAL const u64 *table = (GLOBAL const u64 *)(table_words + table_at);
    const u64 m = table[RESIDUE_M], minv = table[RESIDUE_MINV];
    const struct team t = team_of(size, box);
    const struct place place = place_of(first, count, t);
    struct inverse w;
    s32 delta = 1;
    u += place.index * words;
    v += place.index * v_step;
    const u32 swapped = ~v[0] & 1u, both_even = swapped & ~u[0];
    start_inverse(&w, swapped ? u : v, swapped ? v : u, words, both_even, t);
    FIRST_DIGITS(t, w.x, w.low, 4);
    w.inverse = odd_inverse(w.low[0]);
    u32 go = greatest_together(t, any_bit(w.x[1], t));
    while (go && w.jumps < most) {
        for (int i = 0; i < LOOK; i++) {
            struct jump j = divsteps(w.low[0], w.low[1], &delta);
            struct leaves leave[4];
            s32 add_d = correction((u32)j.a * w.low[2] + (u32)j.b * w.low[3], w.inverse);
            s32 add_e = correction((u32)j.c * w.low[2] + (u32)j.d * w.low[3], w.inverse);
            combine(w.x[0], w.x[1], t, j, &leave[0], &leave[1]);
            combine_modulo(w.x[2], w.x[3], t, j, add_d, add_e, w.modulus, &leave[2], &leave[3]);
            EXCHANGE(t, w.x, leave, w.low, 4);
            if (track)
                track_inverse(&w, j, add_d, add_e, m, minv);
        }
        w.jumps += LOOK;
        go = greatest_together(t, any_bit(w.x[1], t));
    }
    s32 add = divide_last(&w, t);
    struct inverse_end end = end_inverse(&w, both_even, t);
    digits_store(r + (r_first + place.own) * words, words, w.x[2], t, 0, place.is_there);
    digits_store(g + place.own * words, words, w.x[0], t, 0, place.is_there & ~end.is_inverse);
    if (place.is_there && t.lane == 0) {
        exists[place.index] = end.is_inverse;
        record_inverse(record + place.own * EUCLID_RECORD, &w, end, add, swapped, m, minv);
    }
}
