/* SPDX-License-Identifier: LGPL-3.0-or-later
 * Batches modulo numbers of up to MODULAR_WORDS words: `rows` is `words` or a little more, at most
 * MODULAR_WORDS (lib/modular/modular.h). */
#include "kernels/modular/montgomery.h"

#define TEAMS (MODULAR_THREADS / TEAM) /* of a group */

/* The number that this team computes; the last ones again where there are no more. */
#define NUMBER ((u64)GROUP_X * TEAMS + LOCAL_ID / TEAM)
FN u64 last_of(u64 number, u64 count) {
    return number < count ? number : count - 1;
}

FN void load_modulus(struct montgomery *w, GLOBAL const u32 *m, GLOBAL const u32 *known, u64 i,
                     u32 words, struct team t) {
    lane_load(w->m, m + i * words, words, t);
    w->minv = known[i * MODULAR_KNOWN_WORDS(words) + 2 * words];
}

/* x = 2^(32 rows) mod m: from the power of 2^32 at m's highest word on, doubled.  Others of the
 * warp may begin lower. */
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

/* y = R 2^(32 rows) mod m, from one = R mod m. */
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

/* What modular.h says, for each of `count` moduli, and in `kinds` 64 bits each. */
KERNEL(MODULAR_THREADS)
modular_prepare(GLOBAL u32 *known, GLOBAL u32 *kinds, GLOBAL const u32 *m, u64 count, u32 words,
                u32 rows) {
    u64 number = NUMBER, i = last_of(number, count);
    struct team t = team_of(LOCAL_ID, rows);
    struct montgomery w;
    u32 one[LANE_WORDS], square[LANE_WORDS], is_odd, kind;
    lane_load(w.m, m + i * words, words, t);
    is_odd = team_lowest_word(w.m, t) & 1u;
    kind = is_odd ? MODULAR_IS_ODD : team_is_zero(w.m, t) ? MODULAR_IS_ZERO : MODULAR_IS_EVEN;
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

/* x mod m, where that is not so for some number of the warp. */
FN void reduce_any(u32 *x, const u32 *square, const struct montgomery *w, struct team t) {
    u32 d[LANE_WORDS];
    if (!warp_any(team_subtract(d, x, w->m, t) ^ 1u))
        return;
    montgomery_by(x, square, w, t);
    montgomery_leave(x, w, t);
}

/* r = r + y, r - y or r y mod m. */
FN void combine(u32 *r, u32 *y, u32 kind, const u32 *square, const struct montgomery *w,
                struct team t) {
    if (kind == MODULAR_MUL) {
        montgomery_by(r, square, w, t);
        montgomery_multiply(r, r, y, w, t);
        return;
    }
    reduce_any(r, square, w, t);
    reduce_any(y, square, w, t);
    if (kind == MODULAR_SUB) {
        u32 d[LANE_WORDS];
        team_subtract(d, w->m, y, t);
        lane_set(y, d, t);
    }
    team_add_modulo(r, y, w->m, t);
}

/* x = {u, u_words} mod m: the high part, and the low one divided by R, times R. */
FN void reduce(u32 *x, GLOBAL const u32 *u, u32 u_words, const u32 *square,
               const struct montgomery *w, struct team t) {
    u32 high[LANE_WORDS], at = t.lane * LANE_WORDS + t.rows;
    lane_load(x, u, MIN32(u_words, t.rows), t);
    EACH_WORD(k, t) high[k] = at + k < u_words ? u[at + k] : 0u;
    montgomery_leave(x, w, t);
    team_add_modulo(x, high, w->m, t);
    montgomery_by(x, square, w, t);
}

/* Number i of r = number i of u, of u_words words, by `kind` with number i of v, modulo m. */
KERNEL(MODULAR_THREADS)
modular_arithmetic(GLOBAL u32 *r, GLOBAL const u32 *u, GLOBAL const u32 *v, GLOBAL const u32 *m,
                   GLOBAL const u32 *known, u64 count, u32 words, u32 rows, u32 u_words, u32 kind,
                   u32 shared) {
    u64 number = NUMBER, i = last_of(number, count);
    u64 modulus = shared & MODULAR_ONE_MODULUS ? 0 : i;
    struct team t = team_of(LOCAL_ID, rows);
    struct montgomery w;
    u32 x[LANE_WORDS], y[LANE_WORDS], square[LANE_WORDS];
    load_modulus(&w, m, known, modulus, words, t);
    lane_load(square, known + modulus * MODULAR_KNOWN_WORDS(words), words, t);
    if (kind == MODULAR_REDUCE) {
        reduce(x, u + i * u_words, u_words, square, &w, t);
    } else {
        lane_load(x, u + i * words, words, t);
        lane_load(y, v + i * words, words, t);
        combine(x, y, kind, square, &w, t);
    }
    if (number < count)
        lane_store(r + i * words, x, words, t);
}

/* ---- powers: entry k of a team's table is u^k R mod m */

/* Word k of entry `entry` of the lanes of `slots` teams, side by side. */
struct table {
    GLOBAL u32 *at;
    u64 lanes;
};

FN void table_set(struct table table, u32 entry, const u32 *x, struct team t) {
    EACH_WORD(k, t) table.at[((u64)entry * LANE_WORDS + k) * table.lanes] = x[k];
}

FN void table_get(u32 *x, struct table table, u32 entry, struct team t) {
    EACH_WORD(k, t) x[k] = table.at[((u64)entry * LANE_WORDS + k) * table.lanes];
}

/* The same, from all entries. */
FN void table_get_secret(u32 *x, struct table table, u32 entry, u32 entries, struct team t) {
    EACH_WORD(k, t) x[k] = 0;
    for (u32 j = 0; j < entries; j++) {
        u32 differs = j ^ entry, mask = ((differs | (0 - differs)) >> 31) - 1u;
        EACH_WORD(k, t) x[k] |= mask & table.at[((u64)j * LANE_WORDS + k) * table.lanes];
    }
}

FN void table_fill(struct table table, u32 *x, u32 *one, u32 entries, const struct montgomery *w,
                   struct team t) {
    u32 power[LANE_WORDS];
    table_set(table, 0, one, t);
    lane_set(power, x, t);
    table_set(table, 1, power, t);
    for (u32 k = 2; k < entries; k++) {
        montgomery_by(power, x, w, t);
        table_set(table, k, power, t);
    }
}

/* Bits `at` to at + bits - 1 of e. */
FN u32 window_of(GLOBAL const u32 *e, u32 words, u32 at, u32 bits) {
    u32 k = at / 32, high = k + 1 < words ? e[k + 1] : 0u;
    return (u32)(((u64)high << 32 | e[k]) >> at % 32) & ((1u << bits) - 1u);
}

struct exponent {
    GLOBAL const u32 *e;
    u32 words, window, is_secret;
};

/* x, which is R mod m, to u^e R: windows from the top, each squares and a product by an entry.
 * Unless the exponent is secret, nothing happens until some of the warp has come to its highest
 * bits. */
FN void power(u32 *x, struct table table, struct exponent e, const struct montgomery *w,
              struct team t) {
    u32 y[LANE_WORDS], has_begun = e.is_secret;
    for (u32 i = (32 * e.words + e.window - 1) / e.window; i-- > 0;) {
        u32 entry = window_of(e.e, e.words, i * e.window, e.window);
        has_begun |= warp_any(entry);
        if (!has_begun)
            continue;
        for (u32 k = 0; k <= e.window; k++) {
            if (k < e.window)
                lane_set(y, x, t);
            else if (e.is_secret)
                table_get_secret(y, table, entry, 1u << e.window, t);
            else
                table_get(y, table, entry, t);
            montgomery_multiply(x, x, y, w, t);
        }
    }
}

/* Number i of r = number i of u to the power of number i of e, modulo m, by `slots` teams, a
 * multiple of 32, each with a table of 2^window entries of MODULAR_WORDS words. */
KERNEL(MODULAR_THREADS)
modular_power(GLOBAL u32 *r, GLOBAL const u32 *u, GLOBAL const u32 *e, GLOBAL const u32 *m,
              GLOBAL const u32 *known, GLOBAL u32 *tables, u64 count, u32 words, u32 rows,
              u32 exponent_words, u32 window, u32 is_secret, u32 shared, u32 slots) {
    u64 slot = NUMBER;
    struct team t = team_of(LOCAL_ID, rows);
    struct table table = {tables + slot * TEAM + t.lane, (u64)slots * TEAM};
    if (slot >= slots)
        return;
    for (u64 first = 0; first < count; first += slots) {
        u64 number = first + slot, i = last_of(number, count);
        u64 modulus = shared & MODULAR_ONE_MODULUS ? 0 : i;
        struct exponent exponent = {e + (shared & MODULAR_ONE_EXPONENT ? 0 : i * exponent_words),
                                    exponent_words, window, is_secret};
        struct montgomery w;
        u32 x[LANE_WORDS], one[LANE_WORDS];
        load_modulus(&w, m, known, modulus, words, t);
        lane_load(x, u + i * words, words, t);
        lane_load(one, known + modulus * MODULAR_KNOWN_WORDS(words), words, t);
        montgomery_multiply(x, x, one, &w, t);
        lane_load(one, known + modulus * MODULAR_KNOWN_WORDS(words) + words, words, t);
        table_fill(table, x, one, 1u << window, &w, t);
        power(one, table, exponent, &w, t);
        montgomery_leave(one, &w, t);
        if (number < count)
            lane_store(r + i * words, one, words, t);
    }
}
