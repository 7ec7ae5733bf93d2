/* SPDX-License-Identifier: LGPL-3.0-or-later
 * Batches modulo numbers of up to MODULAR_WORDS words: `rows` is `words` or a little more, at most
 * MODULAR_WORDS (lib/modular/modular.h). */
#include "kernels/modular/traced.h"

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

FN u32 kind_of(const u32 *m, u32 lowest, struct team t) {
    u32 is_zero = team_is_zero(m, t); /* all of the warp come there, whatever their moduli */
    return lowest & 1u ? MODULAR_IS_ODD : is_zero ? MODULAR_IS_ZERO : MODULAR_IS_EVEN;
}

/* What modular.h says, for each of `count` moduli, and in `kinds` 64 bits each. */
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

/* Whether these are R^2 and R modulo m: below it, and over R the second and 1. */
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

/* Counts the moduli of which modular_prepare has to say something else. */
KERNEL(MODULAR_THREADS)
modular_check_known(GLOBAL u32 *wrong, GLOBAL const u32 *known, GLOBAL const u32 *kinds,
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
    if (number < count && t.lane == 0 && !are_right)
        ATOMIC_INCREMENT(wrong);
}

/* ---- sums and products */

/* What a team has of its number's modulus: R^2 mod m too, and what traces need. */
struct modulus {
    struct montgomery w;
    struct trace trace;
    struct number square;
};

/* Nothing is traced where there is no table. */
FN void modulus_begin(struct modulus *mod, GLOBAL const u64 *table, u32 is_traced, struct team t) {
    mod->trace.is_on = is_traced;
    if (is_traced)
        trace_begin(&mod->trace, table, t);
}

FN void modulus_load(struct modulus *mod, GLOBAL const u32 *m, GLOBAL const u32 *known, u64 i,
                     u32 words, struct team t) {
    load_modulus(&mod->w, m, known, i, words, t);
    if (mod->trace.is_on)
        trace_modulus(&mod->trace, m + i * words, words, t);
    number_load(&mod->square, known + i * MODULAR_KNOWN_WORDS(words), words, &mod->trace, t);
}

/* x mod m, where that is not so for some number of the warp. */
FN void reduce_any(struct number *x, const struct modulus *mod, struct team t) {
    u32 d[LANE_WORDS];
    if (!warp_any(team_subtract(d, x->x, mod->w.m, t) ^ 1u))
        return;
    number_by(x, &mod->square, &mod->w, &mod->trace, t);
    number_leave(x, &mod->w, &mod->trace, t);
}

/* r = r + y, r - y or r y mod m. */
FN void combine(struct number *r, struct number *y, u32 kind, const struct modulus *mod,
                struct team t) {
    if (kind == MODULAR_MUL) {
        number_by(r, &mod->square, &mod->w, &mod->trace, t);
        number_multiply(r, y, &mod->w, &mod->trace, t);
        return;
    }
    reduce_any(r, mod, t);
    reduce_any(y, mod, t);
    if (kind == MODULAR_SUB)
        number_negate(y, &mod->w, &mod->trace, t);
    number_add(r, y, &mod->w, &mod->trace, t);
}

/* x = {u, u_words} mod m: the high part, and the low one divided by R, times R. */
FN void reduce(struct number *x, GLOBAL const u32 *u, u32 u_words, const struct modulus *mod,
               struct team t) {
    struct number high;
    u32 low_words = MIN32(u_words, t.rows);
    number_load(x, u, low_words, &mod->trace, t);
    number_load(&high, u + low_words, u_words - low_words, &mod->trace, t);
    number_leave(x, &mod->w, &mod->trace, t);
    number_add(x, &high, &mod->w, &mod->trace, t);
    number_by(x, &mod->square, &mod->w, &mod->trace, t);
}

/* What modular_arithmetic is given. */
struct arithmetic {
    GLOBAL u32 *r;
    GLOBAL const u32 *u, *v, *m, *known;
    u64 count;
    u32 words, rows, u_words, kind, shared;
};

FN void arithmetic_by_team(const struct arithmetic *a, GLOBAL u64 *record, GLOBAL const u64 *table,
                           u32 is_traced) {
    u64 number = NUMBER, i = last_of(number, a->count);
    struct team t = team_of(LOCAL_ID, a->rows);
    struct modulus mod;
    struct number x, y;
    modulus_begin(&mod, table, is_traced, t);
    modulus_load(&mod, a->m, a->known, a->shared & MODULAR_ONE_MODULUS ? 0 : i, a->words, t);
    if (a->kind == MODULAR_REDUCE) {
        reduce(&x, a->u + i * a->u_words, a->u_words, &mod, t);
    } else {
        number_load(&x, a->u + i * a->words, a->words, &mod.trace, t);
        number_load(&y, a->v + i * a->words, a->words, &mod.trace, t);
        combine(&x, &y, a->kind, &mod, t);
    }
    if (number < a->count) {
        lane_store(a->r + i * a->words, x.x, a->words, t);
        if (is_traced && t.lane == 0)
            trace_store(record + i, x.residue);
    }
}

/* Number i of r = number i of u, of u_words words, by `kind` with number i of v, modulo m. */
KERNEL(MODULAR_THREADS)
modular_arithmetic(GLOBAL u32 *r, GLOBAL const u32 *u, GLOBAL const u32 *v, GLOBAL const u32 *m,
                   GLOBAL const u32 *known, u64 count, u32 words, u32 rows, u32 u_words, u32 kind,
                   u32 shared) {
    struct arithmetic a = {r, u, v, m, known, count, words, rows, u_words, kind, shared};
    arithmetic_by_team(&a, 0, 0, 0);
}

/* The same, and into the record what its check wants to know. */
KERNEL(MODULAR_THREADS)
modular_arithmetic_traced(GLOBAL u32 *r, GLOBAL const u32 *u, GLOBAL const u32 *v,
                          GLOBAL const u32 *m, GLOBAL const u32 *known, GLOBAL u64 *record,
                          u64 count, u32 words, u32 rows, u32 u_words, u32 kind, u32 shared,
                          GLOBAL const u32 *table_words, u64 table_at) {
    struct arithmetic a = {r, u, v, m, known, count, words, rows, u_words, kind, shared};
    arithmetic_by_team(&a, record, (GLOBAL const u64 *)(table_words + table_at), 1);
}

/* ---- powers: entry k of a team's table is u^k R mod m */

/* Word k of entry `entry` of the lanes of `slots` teams, side by side, `words` to an entry. */
struct table {
    GLOBAL u32 *at;
    u64 lanes;
    u32 words;
};

FN GLOBAL u32 *table_word(struct table table, u32 entry, u32 k) {
    return table.at + ((u64)entry * table.words + k) * table.lanes;
}

FN void table_set(struct table table, u32 entry, const struct number *x, struct team t) {
    EACH_WORD(k, t) * table_word(table, entry, k) = x->x[k];
    if (table.words > LANE_WORDS) {
        *table_word(table, entry, LANE_WORDS) = (u32)x->residue;
        *table_word(table, entry, LANE_WORDS + 1) = (u32)(x->residue >> 32);
        *table_word(table, entry, LANE_WORDS + 2) = (u32)x->exponent;
    }
}

FN void number_of_trace(struct number *x, const u32 *trace) {
    x->residue = (u64)trace[1] << 32 | trace[0];
    x->exponent = trace[2];
}

FN void table_get(struct number *x, struct table table, u32 entry, struct team t) {
    u32 trace[MODULAR_TRACE_WORDS] = {0, 0, 0};
    EACH_WORD(k, t) x->x[k] = *table_word(table, entry, k);
    if (table.words > LANE_WORDS)
        for (u32 k = 0; k < MODULAR_TRACE_WORDS; k++)
            trace[k] = *table_word(table, entry, LANE_WORDS + k);
    number_of_trace(x, trace);
}

/* The same, from all entries. */
FN void table_get_secret(struct number *x, struct table table, u32 entry, u32 entries,
                         struct team t) {
    u32 trace[MODULAR_TRACE_WORDS] = {0, 0, 0};
    EACH_WORD(k, t) x->x[k] = 0;
    for (u32 j = 0; j < entries; j++) {
        u32 differs = j ^ entry, mask = ((differs | (0 - differs)) >> 31) - 1u;
        EACH_WORD(k, t) x->x[k] |= mask & *table_word(table, j, k);
        if (table.words > LANE_WORDS)
            for (u32 k = 0; k < MODULAR_TRACE_WORDS; k++)
                trace[k] |= mask & *table_word(table, j, LANE_WORDS + k);
    }
    number_of_trace(x, trace);
}

FN void table_fill(struct table table, const struct number *x, const struct number *one,
                   u32 entries, const struct montgomery *w, const struct trace *c, struct team t) {
    struct number power;
    table_set(table, 0, one, t);
    number_set(&power, x, t);
    table_set(table, 1, &power, t);
    for (u32 k = 2; k < entries; k++) {
        number_by(&power, x, w, c, t);
        table_set(table, k, &power, t);
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
FN void power(struct number *x, struct table table, struct exponent e, const struct montgomery *w,
              const struct trace *c, struct team t) {
    struct number y;
    u32 has_begun = e.is_secret;
    for (u32 i = (32 * e.words + e.window - 1) / e.window; i-- > 0;) {
        u32 entry = window_of(e.e, e.words, i * e.window, e.window);
        has_begun |= warp_any(entry);
        if (!has_begun)
            continue;
        for (u32 k = 0; k <= e.window; k++) {
            if (k < e.window)
                number_set(&y, x, t);
            else if (e.is_secret)
                table_get_secret(&y, table, entry, 1u << e.window, t);
            else
                table_get(&y, table, entry, t);
            number_multiply(x, &y, w, c, t);
        }
    }
}

/* What modular_power is given. */
struct powers {
    GLOBAL u32 *r;
    GLOBAL const u32 *u, *e, *m, *known;
    GLOBAL u32 *tables;
    u64 count;
    u32 words, rows, exponent_words, window, is_secret, shared, slots;
};

FN void power_record(GLOBAL u64 *record, const struct number *x, u64 of_base, u64 of_modulus,
                     u64 count) {
    trace_store(record + MODULAR_OF_RESULT * count, x->residue);
    trace_store(record + MODULAR_OF_BASE * count, of_base);
    trace_store(record + MODULAR_OF_MODULUS * count, of_modulus);
    trace_store(record + MODULAR_OF_EXPONENT * count, x->exponent);
}

/* Number i, by a team with that table; it is stored if is_there. */
FN void power_of(const struct powers *p, u64 i, u32 is_there, struct table table,
                 struct trace *trace, GLOBAL u64 *record, struct team t) {
    u64 modulus = p->shared & MODULAR_ONE_MODULUS ? 0 : i, of_base;
    struct exponent exponent = {p->e +
                                    (p->shared & MODULAR_ONE_EXPONENT ? 0 : i * p->exponent_words),
                                p->exponent_words, p->window, p->is_secret};
    GLOBAL const u32 *known = p->known + modulus * MODULAR_KNOWN_WORDS(p->words);
    struct montgomery w;
    struct number x, one;
    load_modulus(&w, p->m, p->known, modulus, p->words, t);
    if (trace->is_on)
        trace_modulus(trace, p->m + modulus * p->words, p->words, t);
    number_load(&x, p->u + i * p->words, p->words, trace, t);
    of_base = x.residue;
    number_load(&one, known, p->words, trace, t);
    number_multiply(&x, &one, &w, trace, t);
    x.exponent = 1;
    number_load(&one, known + p->words, p->words, trace, t);
    table_fill(table, &x, &one, 1u << p->window, &w, trace, t);
    power(&one, table, exponent, &w, trace, t);
    number_leave(&one, &w, trace, t);
    if (is_there) {
        lane_store(p->r + i * p->words, one.x, p->words, t);
        if (trace->is_on && t.lane == 0)
            power_record(record + i, &one, of_base, trace->of_m, p->count);
    }
}

FN void powers_by_team(const struct powers *p, GLOBAL u64 *record, GLOBAL const u64 *table,
                       u32 is_traced) {
    u64 slot = NUMBER;
    struct team t = team_of(LOCAL_ID, p->rows);
    struct table own = {p->tables + slot * TEAM + t.lane, (u64)p->slots * TEAM,
                        LANE_WORDS + (is_traced ? MODULAR_TRACE_WORDS : 0)};
    struct trace trace;
    trace.is_on = is_traced;
    if (slot >= p->slots)
        return;
    if (is_traced)
        trace_begin(&trace, table, t);
    for (u64 first = 0; first < p->count; first += p->slots) {
        u64 number = first + slot;
        power_of(p, last_of(number, p->count), number < p->count, own, &trace, record, t);
    }
}

/* Number i of r = number i of u to the power of number i of e, modulo m, by `slots` teams, a
 * multiple of 32, each with a table of 2^window entries of MODULAR_WORDS words. */
KERNEL_DENSE(MODULAR_THREADS, 8)
modular_power(GLOBAL u32 *r, GLOBAL const u32 *u, GLOBAL const u32 *e, GLOBAL const u32 *m,
              GLOBAL const u32 *known, GLOBAL u32 *tables, u64 count, u32 words, u32 rows,
              u32 exponent_words, u32 window, u32 is_secret, u32 shared, u32 slots) {
    struct powers p = {r,      u,         e,      m,    known,
                       tables, count,     words,  rows, exponent_words,
                       window, is_secret, shared, slots};
    powers_by_team(&p, 0, 0, 0);
}

/* The same with MODULAR_TRACE_WORDS more for each lane of an entry, and into the record what the
 * check wants to know. */
KERNEL_DENSE(MODULAR_THREADS, 8)
modular_power_traced(GLOBAL u32 *r, GLOBAL const u32 *u, GLOBAL const u32 *e, GLOBAL const u32 *m,
                     GLOBAL const u32 *known, GLOBAL u32 *tables, GLOBAL u64 *record, u64 count,
                     u32 words, u32 rows, u32 exponent_words, u32 window, u32 is_secret, u32 shared,
                     u32 slots, GLOBAL const u32 *table_words, u64 table_at) {
    struct powers p = {r,      u,         e,      m,    known,
                       tables, count,     words,  rows, exponent_words,
                       window, is_secret, shared, slots};
    powers_by_team(&p, record, (GLOBAL const u64 *)(table_words + table_at), 1);
}
