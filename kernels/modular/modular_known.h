/* SPDX-License-Identifier: LGPL-3.0-or-later
 * Computes and checks the constants of moduli (modular.h). */
#ifndef MODULAR_KNOWN_H
#define MODULAR_KNOWN_H

#include "kernels/check/verdict_share.h"
#include "kernels/modular/power.h"

FN void load_modulus(struct montgomery *w, GLOBAL const u32 *m, GLOBAL const u32 *known, u64 i,
                     u32 words, struct team t) {
    lane_load(w->m, m + i * words, words, t);
    w->minv = known[i * MODULAR_KNOWN_WORDS(words) + 2 * words];
}

/* Computes x = R = 2^(32 rows) mod m, by doubling 2^(32 k), where k is the index of m's highest
 * word. Numbers in the same warp may need different counts of doublings. */
FN void find_one(u32 *x, const struct montgomery *w, struct team t) {
    u32 y[LANE_WORDS], top = team_top(w->m, t);
    lane_small(x, 1, top, t);
    team_reduce(x, 0, w->m, t);
    for (u32 i = 0; i < 32 * t.rows; i++) {
        u32 is_needed = i >= 32 * top;
        if (!warp_any(is_needed))
            continue;
        lane_set(y, x, t);
        team_add_modulo(y, x, w->m, t);
        EACH_WORD(k, t) x[k] = is_needed ? y[k] : x[k];
    }
}

/* Computes y = R^2 mod m, from one = R mod m. */
FN void find_square(u32 *y, const u32 *one, const struct montgomery *w, struct team t) {
    u32 copy[LANE_WORDS], exponent = 32 * t.rows;
    lane_set(y, one, t);
    for (u32 bit = 32 - LEADING_ZEROS32(exponent); bit-- > 0;) {
        montgomery_by(y, y, w, t);
        lane_set(copy, y, t);
        if (exponent >> bit & 1)
            team_add_modulo(y, copy, w->m, t);
    }
}

/*@ requires t.rows <= LANE_WORDS && \valid_read(m + (0 .. t.rows - 1));
    assigns \nothing;
    ensures \result <= MODULAR_IS_ZERO && (lowest % 2 == 1 <==> \result == MODULAR_IS_ODD); */
FN u32 kind_of(const u32 *m, u32 lowest, struct team t) {
    /* All work-items of a warp must call this, whatever their moduli are. */
    u32 is_zero = team_is_zero(m, t);
    return lowest & 1u ? MODULAR_IS_ODD : is_zero ? MODULAR_IS_ZERO : MODULAR_IS_EVEN;
}

/* Computes the constants (modular.h) of each of `count` moduli. Stores the kind of each modulus in
 * a 64-bit entry of `kinds`. */
KERNEL(MODULAR_THREADS)
modular_prepare(GLOBAL u32 *known, GLOBAL u32 *kinds, GLOBAL const u32 *m, u64 count, u32 words,
                u32 rows) {
    u64 number = NUMBER, i = last_of(number, count);
    struct team t = team_of(LOCAL_ID, rows);
    struct montgomery w = {{0}, 0};
    u32 one[LANE_WORDS], square[LANE_WORDS], is_odd, kind;
    lane_load(w.m, m + i * words, words, t);
    kind = kind_of(w.m, team_lowest_word(w.m, t), t);
    is_odd = kind == MODULAR_IS_ODD;
    w.minv = montgomery_inverse(team_lowest_word(w.m, t));
    find_one(one, &w, t);
    find_square(square, one, &w, t);
    EACH_WORD(k, t) {
        one[k] = is_odd ? one[k] : 0u;
        square[k] = is_odd ? square[k] : 0u;
    }
    if (number < count) {
        GLOBAL u32 *to = known + i * MODULAR_KNOWN_WORDS(words);
        lane_store(to, square, words, t);
        lane_store(to + words, one, words, t);
        if (t.lane == 0) {
            to[2 * words] = is_odd ? w.minv : 0u;
            to[2 * words + 1] = 0;
            kinds[2 * i] = kind;
            kinds[2 * i + 1] = 0;
        }
    }
}

/* Returns 1 if `square` is R^2 mod m and `one` is R mod m. Both must be below m. Modulo m, square /
 * R must be `one`, and one / R must be 1. */
FN u32 are_powers(const u32 *square, const u32 *one, const struct montgomery *w, struct team t) {
    u32 x[LANE_WORDS], unit[LANE_WORDS] = {0}, d[LANE_WORDS], are_less;
    lane_small(unit, 1, 0, t);
    team_reduce(unit, 0, w->m, t);
    are_less = team_subtract(d, square, w->m, t);
    are_less &= team_subtract(d, one, w->m, t);
    lane_set(x, square, t);
    montgomery_by(x, unit, w, t);
    EACH_WORD(k, t) d[k] = x[k] ^ one[k];
    lane_set(x, one, t);
    montgomery_by(x, unit, w, t);
    EACH_WORD(k, t) d[k] |= x[k] ^ unit[k];
    return are_less & team_is_zero(d, t);
}

FN u32 are_zeros(const u32 *square, const u32 *one, struct team t) {
    u32 d[LANE_WORDS];
    EACH_WORD(k, t) d[k] = square[k] | one[k];
    return team_is_zero(d, t);
}

/* Checks the constants that modular_prepare has computed. Each modulus adds its part to the verdict
 * (verdict.h). */
KERNEL(MODULAR_THREADS)
modular_check_known(GLOBAL u32 *verdict, u32 pass, GLOBAL const u32 *known, GLOBAL const u32 *kinds,
                    GLOBAL const u32 *m, u64 count, u32 words, u32 rows) {
    u64 number = NUMBER, i = last_of(number, count);
    GLOBAL const u32 *of_m = known + i * MODULAR_KNOWN_WORDS(words);
    struct team t = team_of(LOCAL_ID, rows);
    struct montgomery w = {{0}, 0};
    u32 one[LANE_WORDS], square[LANE_WORDS], lowest, kind, are_right, are_none;
    lane_load(w.m, m + i * words, words, t);
    lane_load(square, of_m, words, t);
    lane_load(one, of_m + words, words, t);
    lowest = team_lowest_word(w.m, t);
    w.minv = montgomery_inverse(lowest);
    kind = kind_of(w.m, lowest, t);
    are_right = are_powers(square, one, &w, t);
    are_none = are_zeros(square, one, t);
    are_right = kind == MODULAR_IS_ODD ? are_right : are_none;
    are_right &= of_m[2 * words] == (kind == MODULAR_IS_ODD ? w.minv : 0u);
    are_right &= of_m[2 * words + 1] == 0 && kinds[2 * i] == kind && kinds[2 * i + 1] == 0;
    if (number < count && t.lane == 0)
        verdict_share(verdict, pass, !are_right, number, count);
}

#endif
