/* SPDX-License-Identifier: LGPL-3.0-or-later
 * Powers of batches with floating-point units (doubles.h), for devices that have many of them
 * (caps.fast_doubles): compute capability 9.0 and some above. */
#include "kernels/modular/power_scratch.h"

/* Returns -1/m modulo 2^52, given -1/m modulo 2^32 (minv). */
FN u64 minv_of(GLOBAL const u32 *m, u64 minv) {
    u64 low = (u64)m[1] << 32 | m[0];
    return minv * (2 + low * minv);
}

FN GLOBAL const u32 *scratch_known(const struct power_scratch *d) {
    u64 i = d->p->shared & MODULAR_ONE_MODULUS ? 0 : d->number;
    return d->p->known + i * MODULAR_KNOWN_WORDS(d->p->words);
}

/* Begins the computation of a power: loads the modulus, and resets the position in the exponent and
 * the count of scratch_turn's calls. */
NOINLINE void scratch_begin(struct power_scratch *d, const struct powers *p, u64 number) {
    u64 i = p->shared & MODULAR_ONE_MODULUS ? 0 : number;
    GLOBAL const u32 *m = p->m + i * p->words;
    d->p = p;
    d->number = number;
    d->e = exponent_of(p, number);
    d->at = (32 * d->e.words + d->e.window - 1) / d->e.window;
    d->turn = d->is_leaving = 0;
    d->has_begun = d->e.is_secret;
    d->minv = minv_of(m, scratch_known(d)[2 * p->words]);
    scratch_load(d, OF_M, m, p->words);
    if (d->trace.words.is_on)
        doubles_trace_modulus(&d->trace, m, p->words, d->t);
}

/* Loads {from, p->words} as one of the two factors of a product: a if `which` is OF_A, otherwise b.
 * Computes its residue for the check. */
FN void scratch_operand(struct power_scratch *d, u32 which, GLOBAL const u32 *from) {
    u32 i = which == OF_A;
    scratch_load(d, which, from, d->p->words);
    d->exponent[i] = 0;
    d->residue[i] =
        d->trace.words.is_on ? doubles_trace_load(from, d->p->words, &d->trace, d->t) : 0;
}

/* Sets b to the table entry for the next window of the exponent, from the top. Returns 1 if there
 * was a window. Unless the exponent is secret, begins at the highest bit of the longest exponent in
 * the warp. */
FN u32 scratch_window(struct power_scratch *d) {
    while (d->at > 0) {
        u32 entry = window_of(d->e.e, d->e.words, --d->at * d->e.window, d->e.window);
        d->has_begun |= warp_any(entry);
        if (d->has_begun) {
            scratch_get(d, entry, 1u << d->e.window, d->e.is_secret);
            return 1;
        }
    }
    return 0;
}

/* Sets a to entry 0 of the table, which is R mod m. */
FN void scratch_one(struct power_scratch *d) {
    scratch_get(d, 0, 1, 0);
    EACH_DIGIT(k) d->own[OF_A + k] = d->own[k];
    d->residue[1] = d->residue[0];
    d->exponent[1] = d->exponent[0];
}

/* Prepares the next turn: the products for a window of the exponent, or a single product. Sets
 * the operands a and b. Returns the number of products of the turn, or 0 at the end. The turn's
 * first product is a b; those after it square a. If the previous product is an entry of the table
 * of powers, stores it there.
 *
 * The first turns compute with R = 2^(32 rows + s), where s = rows / 2. `known` has R^2 / 2^(2
 * s). A product divides by R. So `known` times 2^(2 s) yields R, which is entry 0. The square of
 * `known` times 2^(4 s) yields R^2, by which u becomes entry 1. */
NOINLINE u32 scratch_turn(struct power_scratch *d) {
    u32 turn = d->turn++, entries = 1u << d->e.window;
    if (turn == 1)
        scratch_put(d, 0);
    if (turn > 3 && turn <= entries + 2)
        scratch_put(d, turn - 3);
    if (turn < 2)
        scratch_operand(d, OF_A, scratch_known(d));
    if (turn == 1) {
        doubles_square(d->box, d->t.rows);
        d->residue[0] = d->residue[1];
        d->exponent[0] = 0;
    } else if (turn < 3) {
        scratch_power_of_2(d, turn ? 2 * d->t.rows : d->t.rows);
    } else if (turn == 3) {
        scratch_operand(d, OF_B, d->p->u + d->number * d->p->words);
        d->of_base = d->residue[0];
        d->exponent[0] = 1;
    } else if (turn < entries + 2) {
        scratch_get(d, 1, entries, 0);
    } else {
        if (turn == entries + 2)
            scratch_one(d);
        if (scratch_window(d))
            return d->at > 0 ? 1 + d->e.window : 1;
        if (d->is_leaving)
            return 0;
        d->is_leaving = 1;
        scratch_power_of_2(d, 0);
    }
    return 1;
}

/* Computes the residue of a after a product. b gets the same residue, because the next product is
 * the square of a. */
NOINLINE void scratch_trace(struct power_scratch *d) {
    const struct trace *c = &d->trace.digits;
    u64 q = doubles_down(d->own, c, d->t);
    d->residue[1] = trace_product(d->residue[1], d->residue[0], q, 0, c, d->t);
    d->exponent[1] = residue_plus(d->exponent[1], d->exponent[0], c->p);
    d->residue[0] = d->residue[1];
    d->exponent[0] = d->exponent[1];
}

/* Ends a power: reduces the result, stores it if is_there, and writes its record. */
NOINLINE void scratch_end(struct power_scratch *d, u32 is_there, GLOBAL u64 *record) {
    const struct powers *p = d->p;
    u64 of_result, of_base, of_modulus;
    scratch_resolve(d);
    if (is_there)
        scratch_store(d, p->r + d->number * p->words, p->words);
    if (d->trace.words.is_on) {
        of_result = doubles_trace_up(d->residue[1], &d->trace);
        of_base = doubles_trace_up(d->of_base, &d->trace);
        of_modulus = doubles_trace_up(d->trace.digits.of_m, &d->trace);
        if (is_there && d->t.lane == 0)
            power_record(record + d->number, of_result, of_base, of_modulus, d->exponent[1],
                         p->count, p->nonce);
    }
    doubles_meet();
}

FN void scratch_clear(struct power_scratch *d) {
    for (u32 k = 0; k < LANE_DIGITS; k++)
        d->own[k] = d->own[OF_A + k] = 0;
}

/* The host does not launch these kernels on older devices, so they are left empty there. */
#if !defined(__CUDA_ARCH__) || __CUDA_ARCH__ >= 900
#define DOUBLES_SERVE 1
#else
#define DOUBLES_SERVE 0
#endif

FN void doubles_by_team(const struct powers *p, BOX u64 *box, GLOBAL u64 *record,
                        GLOBAL const u64 *table, u32 is_traced) {
    const u64 slot = NUMBER;
    const u32 rows = p->rows;
    struct power_scratch d;
    d.t = team_of(LOCAL_ID, p->rows);
    d.box = box;
    d.own = d.box + d.t.lane * LANE_DIGITS;
    d.table = (GLOBAL u64 *)p->tables + slot * TEAM + d.t.lane;
    d.step = (u64)p->slots * TEAM;
    d.trace.words.is_on = is_traced;
    box[TEAM * LANE_DIGITS] = 0; /* the digit behind b is read, and must not be NaN */
    if (slot >= p->slots || !DOUBLES_SERVE)
        return;
    if (is_traced)
        doubles_trace_begin(&d.trace, table, d.t);
    for (u64 first = 0; power_has_next(p, first, slot); first += p->slots) {
        u64 number = first + slot;
        scratch_begin(&d, p, last_of(number, p->count));
        for (u32 products = scratch_turn(&d); products > 0;) {
            doubles_product(box, d.minv, rows);
            if (is_traced)
                scratch_trace(&d);
            if (--products > 0)
                doubles_square(box, rows);
            else
                products = scratch_turn(&d);
        }
        scratch_end(&d, number < p->count, record);
    }
    if (p->is_secret)
        scratch_clear(&d);
}

/* Computes powers as the kernel modular_power does (modular.cl), with doubles. A table entry has
 * MODULAR_DOUBLE_WORDS(MODULAR_WORDS) words. */
KERNEL_DENSE(MODULAR_THREADS, MODULAR_GROUPS)
modular_power_double(GLOBAL u32 *r, GLOBAL const u32 *u, GLOBAL const u32 *e, GLOBAL const u32 *m,
                     GLOBAL const u32 *known, GLOBAL u32 *tables, u64 count, u32 words, u32 rows,
                     u32 exponent_words, u32 window, u32 is_secret, u32 shared, u32 slots) {
    struct powers p = {r,      u,         e,      m,     known,
                       tables, count,     words,  rows,  exponent_words,
                       window, is_secret, shared, slots, 0};
    BOX_ARRAY(boxes);
    doubles_by_team(&p, OWN_BOX(boxes), 0, 0, 0);
}

/* Computes powers as modular_power_double does, and also writes the record that the check needs.
 * Table entries have MODULAR_DOUBLE_TRACE_WORDS more words for each work-item. */
KERNEL_DENSE(MODULAR_THREADS, MODULAR_GROUPS)
modular_power_double_traced(GLOBAL u32 *r, GLOBAL const u32 *u, GLOBAL const u32 *e,
                            GLOBAL const u32 *m, GLOBAL const u32 *known, GLOBAL u32 *tables,
                            GLOBAL u64 *record, u64 count, u32 words, u32 rows, u32 exponent_words,
                            u32 window, u32 is_secret, u32 shared, u32 slots,
                            GLOBAL const u32 *table_words, u64 table_at, u64 nonce) {
    struct powers p = {r,      u,         e,      m,     known,
                       tables, count,     words,  rows,  exponent_words,
                       window, is_secret, shared, slots, nonce};
    BOX_ARRAY(boxes);
    doubles_by_team(&p, OWN_BOX(boxes), record, (GLOBAL const u64 *)(table_words + table_at), 1);
}
