/* SPDX-License-Identifier: LGPL-3.0-or-later
 * Operations on batches modulo numbers of up to MODULAR_WORDS words. `rows` is `words`, rounded up,
 * at most MODULAR_WORDS (lib/modular/modular.h). This file has powers; the headers have other
 * operations. */
#include "kernels/modular/modular_arithmetic.h"

/* ---- powers: for each base u there is a table, whose entry k is u^k R mod m */

/* The part of a table of powers that one lane (work-item) reads and writes: `words` words of each
 * entry. The words of all lanes of the launch are interleaved: a lane's next word is `lanes` words
 * behind, so that adjacent lanes access adjacent words. */
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

/* Sets x to a table entry whose number is secret, by reading all entries. */
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

/* Computes x = u^e R mod m. On entry, x must be R mod m. Unless the exponent is secret, skips the
 * zero bits above the highest bit of the longest exponent in the warp. */
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

/* Computes the power of number i. `table` is memory for powers of the base. Stores the result if
 * is_there. */
FN void power_of(const struct powers *p, u64 i, u32 is_there, struct table table,
                 struct trace *trace, GLOBAL u64 *record, struct team t) {
    u64 modulus = p->shared & MODULAR_ONE_MODULUS ? 0 : i, of_base;
    struct exponent exponent = exponent_of(p, i);
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
            power_record(record + i, one.residue, of_base, trace->of_m, one.exponent, p->count,
                         p->nonce);
    }
}

FN void powers_by_team(const struct powers *p, GLOBAL u64 *record, GLOBAL const u64 *table,
                       u32 is_traced) {
    u64 slot = NUMBER;
    struct team t = team_of(LOCAL_ID, p->rows);
    struct table own = {p->tables + slot * TEAM + t.lane, (u64)p->slots * TEAM,
                        (u32)(LANE_WORDS + (is_traced ? MODULAR_TRACE_WORDS : 0))};
    struct trace trace;
    trace.is_on = is_traced;
    if (slot >= p->slots)
        return;
    if (is_traced)
        trace_begin(&trace, table, t);
    for (u64 first = 0; power_has_next(p, first, slot); first += p->slots) {
        u64 number = first + slot;
        power_of(p, last_of(number, p->count), number < p->count, own, &trace, record, t);
    }
}

/* For each i, sets number i of r to u^e modulo m, where u, e and m are numbers i of the arguments.
 * The launch has `slots` teams (work-items that share a number), a multiple of 32; each team
 * computes several numbers. Each team has a table of 2^window entries of MODULAR_WORDS words. */
KERNEL_DENSE(MODULAR_THREADS, MODULAR_GROUPS)
modular_power(GLOBAL u32 *r, GLOBAL const u32 *u, GLOBAL const u32 *e, GLOBAL const u32 *m,
              GLOBAL const u32 *known, GLOBAL u32 *tables, u64 count, u32 words, u32 rows,
              u32 exponent_words, u32 window, u32 is_secret, u32 shared, u32 slots) {
    struct powers p = {r,      u,         e,      m,     known,
                       tables, count,     words,  rows,  exponent_words,
                       window, is_secret, shared, slots, 0};
    powers_by_team(&p, 0, 0, 0);
}

/* Computes powers as modular_power does, and also writes the record that the check needs. Table
 * entries have MODULAR_TRACE_WORDS more words for each work-item. */
KERNEL_DENSE(MODULAR_THREADS, MODULAR_GROUPS)
modular_power_traced(GLOBAL u32 *r, GLOBAL const u32 *u, GLOBAL const u32 *e, GLOBAL const u32 *m,
                     GLOBAL const u32 *known, GLOBAL u32 *tables, GLOBAL u64 *record, u64 count,
                     u32 words, u32 rows, u32 exponent_words, u32 window, u32 is_secret, u32 shared,
                     u32 slots, GLOBAL const u32 *table_words, u64 table_at, u64 nonce) {
    struct powers p = {r,      u,         e,      m,     known,
                       tables, count,     words,  rows,  exponent_words,
                       window, is_secret, shared, slots, nonce};
    powers_by_team(&p, record, (GLOBAL const u64 *)(table_words + table_at), 1);
}
