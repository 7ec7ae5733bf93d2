/* SPDX-License-Identifier: LGPL-3.0-or-later
 * Sums, products and remainders of batches modulo numbers. */
#ifndef MODULAR_ARITHMETIC_H
#define MODULAR_ARITHMETIC_H

#include "kernels/modular/modular_known.h"

/* The modulus of the number that this work-item shares: m, R^2 mod m, and the data for residues of
 * the check (traced.h). */
struct modulus {
    struct montgomery w;
    struct trace trace;
    struct number square;
};

/* Begins to use a modulus. If is_traced, reads the constants of traces from `table`. */
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

/* Reduces x modulo m, unless all numbers of the warp are below their m. */
FN void reduce_any(struct number *x, const struct modulus *mod, struct team t) {
    u32 d[LANE_WORDS];
    if (!warp_any(team_subtract(d, x->x, mod->w.m, t) ^ 1u))
        return;
    number_by(x, &mod->square, &mod->w, &mod->trace, t);
    number_leave(x, &mod->w, &mod->trace, t);
}

/* Computes r = r + y, r - y or r y modulo m, as `kind` selects. */
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

/* Computes x = {u, u_words} mod m for a number u = low + high R: divides `low` by R, adds `high`,
 * and multiplies the sum by R, all modulo m. */
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

/* The arguments of the kernel modular_arithmetic. */
struct arithmetic {
    GLOBAL u32 *r;
    GLOBAL const u32 *u, *v, *m, *known;
    u64 count;
    u32 words, rows, u_words, kind, shared;
    u64 nonce;
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
            trace_store(record + i, x.residue,
                        a->nonce + MODULAR_KEY(a->kind, a->words, a->rows, a->u_words, a->shared));
    }
}

/* For each i, combines number i of u, of u_words words, with number i of v modulo m, as `kind`
 * selects. The result is number i of r. */
KERNEL(MODULAR_THREADS)
modular_arithmetic(GLOBAL u32 *r, GLOBAL const u32 *u, GLOBAL const u32 *v, GLOBAL const u32 *m,
                   GLOBAL const u32 *known, u64 count, u32 words, u32 rows, u32 u_words, u32 kind,
                   u32 shared) {
    struct arithmetic a = {r, u, v, m, known, count, words, rows, u_words, kind, shared, 0};
    arithmetic_by_team(&a, 0, 0, 0);
}

/* Computes r as the kernel modular_arithmetic does, and also writes the record by which the results
 * are checked. The record's nonce is `nonce` plus MODULAR_KEY of the arguments. */
KERNEL(MODULAR_THREADS)
modular_arithmetic_traced(GLOBAL u32 *r, GLOBAL const u32 *u, GLOBAL const u32 *v,
                          GLOBAL const u32 *m, GLOBAL const u32 *known, GLOBAL u64 *record,
                          u64 count, u32 words, u32 rows, u32 u_words, u32 kind, u32 shared,
                          GLOBAL const u32 *table_words, u64 table_at, u64 nonce) {
    struct arithmetic a = {r, u, v, m, known, count, words, rows, u_words, kind, shared, nonce};
    arithmetic_by_team(&a, record, (GLOBAL const u64 *)(table_words + table_at), 1);
}

#endif
