/* SPDX-License-Identifier: LGPL-3.0-or-later
 * Powers of batches by floating-point units (doubles.h), for devices that have enough of them
 * (caps.fast_doubles): compute capability 9.0 and some above. */
#include "kernels/modular/doubles_trace.h"
#include "kernels/modular/power.h"

/* What a team works with: in its box digits of b, a and m, and with a trace residues and exponents
 * of the first two.  `own` is this lane's first digit of b. */
struct desk {
    BOX u64 *box, *own;
    GLOBAL u64 *table; /* this lane's first digit of its first entry; entries behind one another */
    u64 step;          /* from one to the next */
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

/* Digits of {from, words}, each carry in the next one. */
NOINLINE void desk_load(struct desk *d, u32 which, GLOBAL const u32 *from, u32 words) {
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

/* b = 2^bit. */
FN void desk_power_of_2(struct desk *d, u32 bit) {
    ROLLED for (u32 k = 0; k < LANE_DIGITS; k++) {
        u32 is_there = bit / 52 == d->t.lane * LANE_DIGITS + k;
        d->own[k] = AS_BITS(is_there ? (double)((u64)1 << bit % 52) : 0.0);
    }
    d->residue[0] = d->trace.words.is_on ? doubles_trace_of(d->own, &d->trace.digits, d->t) : 0;
    d->exponent[0] = 0;
}

/* ---- tables: entry k is u^k R mod m */

FN GLOBAL u64 *desk_entry(const struct desk *d, u32 entry, u32 k) {
    u32 each = LANE_DIGITS + (d->trace.words.is_on ? 2 : 0);
    return d->table + ((u64)entry * each + k) * d->step;
}

FN void desk_put(const struct desk *d, u32 entry) {
    EACH_DIGIT(k) * desk_entry(d, entry, (u32)k) = d->own[OF_A + k];
    if (d->trace.words.is_on) {
        *desk_entry(d, entry, LANE_DIGITS) = d->residue[1];
        *desk_entry(d, entry, LANE_DIGITS + 1) = d->exponent[1];
    }
}

/* b is an entry; where it is secret which one, from all of them. */
FN u64 desk_word(const struct desk *d, u32 entry, u32 k, u32 entries, u32 is_secret) {
    u64 x = 0;
    if (!is_secret)
        return *desk_entry(d, entry, k);
    for (u32 j = 0; j < entries; j++) {
        u32 differs = j ^ entry;
        u64 mask = (u64)((differs | (0 - differs)) >> 31) - 1u;
        x |= mask & *desk_entry(d, j, k);
    }
    return x;
}

FN void desk_get(struct desk *d, u32 entry, u32 entries, u32 is_secret) {
    EACH_DIGIT(k) d->own[k] = desk_word(d, entry, (u32)k, entries, is_secret);
    if (d->trace.words.is_on) {
        d->residue[0] = desk_word(d, entry, LANE_DIGITS, entries, is_secret);
        d->exponent[0] = desk_word(d, entry, LANE_DIGITS + 1, entries, is_secret);
    }
}

/* ---- results */

/* Carries through a's digits, but what leaves the highest one, which comes back. */
FN s64 desk_carry(struct desk *d) {
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

/* a in digits from 0 to 2^52 - 1, with m added where it is negative. */
FN void desk_settle(struct desk *d) {
    u32 is_negative = desk_carry(d) < 0;
    ROLLED for (u32 k = 0; k < LANE_DIGITS; k++) {
        double more = is_negative ? AS_DOUBLE(d->own[OF_M + k]) : 0.0;
        d->own[OF_A + k] = AS_BITS(AS_DOUBLE(d->own[OF_A + k]) + more);
    }
    desk_carry(d);
    if (d->trace.words.is_on)
        d->residue[1] =
            residue_plus(d->residue[1], is_negative ? d->trace.digits.of_m : 0, d->trace.digits.p);
    doubles_meet();
}

FN void desk_store(const struct desk *d, GLOBAL u32 *to, u32 words) {
    BOX const u64 *a = d->box + OF_A;
    for (u32 j = d->t.lane; j < words; j += TEAM) {
        u32 k = 32 * j / 52, shift = 32 * j % 52;
        u64 x = (u64)AS_DOUBLE(a[k]) >> shift;
        if (shift > 20)
            x |= (u64)AS_DOUBLE(a[k + 1]) << (52 - shift);
        to[j] = (u32)x;
    }
}

/* ---- powers */

/* -1/m modulo 2^52, from that modulo 2^32. */
FN u64 minv_of(GLOBAL const u32 *m, u64 minv) {
    u64 low = (u64)m[1] << 32 | m[0];
    return minv * (2 + low * minv);
}

FN GLOBAL const u32 *desk_known(const struct desk *d) {
    u64 i = d->p->shared & MODULAR_ONE_MODULUS ? 0 : d->number;
    return d->p->known + i * MODULAR_KNOWN_WORDS(d->p->words);
}

/* All is ready for the first turn. */
NOINLINE void desk_begin(struct desk *d, const struct powers *p, u64 number) {
    u64 i = p->shared & MODULAR_ONE_MODULUS ? 0 : number;
    GLOBAL const u32 *m = p->m + i * p->words;
    d->p = p;
    d->number = number;
    d->e = exponent_of(p, number);
    d->at = (32 * d->e.words + d->e.window - 1) / d->e.window;
    d->turn = d->is_leaving = 0;
    d->has_begun = d->e.is_secret;
    d->minv = minv_of(m, desk_known(d)[2 * p->words]);
    desk_load(d, OF_M, m, p->words);
    if (d->trace.words.is_on)
        doubles_trace_modulus(&d->trace, m, p->words, d->t);
}

/* {from, words} to a or b. */
FN void desk_operand(struct desk *d, u32 which, GLOBAL const u32 *from) {
    u32 i = which == OF_A;
    desk_load(d, which, from, d->p->words);
    d->exponent[i] = 0;
    d->residue[i] =
        d->trace.words.is_on ? doubles_trace_load(from, d->p->words, &d->trace, d->t) : 0;
}

/* b is the next window's entry, from the top; unless the exponent is secret from where some of the
 * warp has come to its highest bits.  Whether there is one. */
FN u32 desk_window(struct desk *d) {
    while (d->at > 0) {
        u32 entry = window_of(d->e.e, d->e.words, --d->at * d->e.window, d->e.window);
        d->has_begun |= warp_any(entry);
        if (d->has_begun) {
            desk_get(d, entry, 1u << d->e.window, d->e.is_secret);
            return 1;
        }
    }
    return 0;
}

/* a = R mod m, entry 0. */
FN void desk_one(struct desk *d) {
    desk_get(d, 0, 1, 0);
    EACH_DIGIT(k) d->own[OF_A + k] = d->own[k];
    d->residue[1] = d->residue[0];
    d->exponent[1] = d->exponent[0];
}

/* After a turn, of which the table has the results of some; then a and b for the next one.  How
 * many products it has, all but the first squares, 0 at the end.
 *
 * known has R'^2 for R' = 2^(32 rows), and R = 2^s R' with s = rows / 2.  So R'^2 2^(2 s) / R is R,
 * entry 0; (R'^2)^2 / R 2^(4 s) / R is R^2, which makes entry 1 of u. */
NOINLINE u32 desk_turn(struct desk *d) {
    u32 turn = d->turn++, entries = 1u << d->e.window;
    if (turn == 1)
        desk_put(d, 0);
    if (turn > 3 && turn <= entries + 2)
        desk_put(d, turn - 3);
    if (turn < 2)
        desk_operand(d, OF_A, desk_known(d));
    if (turn == 1) {
        doubles_square(d->box, d->t.rows);
        d->residue[0] = d->residue[1];
        d->exponent[0] = 0;
    } else if (turn < 3) {
        desk_power_of_2(d, turn ? 2 * d->t.rows : d->t.rows);
    } else if (turn == 3) {
        desk_operand(d, OF_B, d->p->u + d->number * d->p->words);
        d->of_base = d->residue[0];
        d->exponent[0] = 1;
    } else if (turn < entries + 2) {
        desk_get(d, 1, entries, 0);
    } else {
        if (turn == entries + 2)
            desk_one(d);
        if (desk_window(d))
            return d->at > 0 ? 1 + d->e.window : 1;
        if (d->is_leaving)
            return 0;
        d->is_leaving = 1;
        desk_power_of_2(d, 0);
    }
    return 1;
}

/* The residues of a and b behind a product, should a square be next. */
NOINLINE void desk_trace(struct desk *d) {
    const struct trace *c = &d->trace.digits;
    u64 q = doubles_down(d->own, c, d->t);
    d->residue[1] = trace_product(d->residue[1], d->residue[0], q, 0, c, d->t);
    d->exponent[1] = residue_plus(d->exponent[1], d->exponent[0], c->p);
    d->residue[0] = d->residue[1];
    d->exponent[0] = d->exponent[1];
}

/* The result; it is stored if is_there. */
NOINLINE void desk_end(struct desk *d, u32 is_there, GLOBAL u64 *record) {
    const struct powers *p = d->p;
    u64 of_result, of_base, of_modulus;
    desk_settle(d);
    if (is_there)
        desk_store(d, p->r + d->number * p->words, p->words);
    if (d->trace.words.is_on) {
        of_result = doubles_trace_up(d->residue[1], &d->trace);
        of_base = doubles_trace_up(d->of_base, &d->trace);
        of_modulus = doubles_trace_up(d->trace.digits.of_m, &d->trace);
        if (is_there && d->t.lane == 0)
            power_record(record + d->number, of_result, of_base, of_modulus, d->exponent[1],
                         p->count);
    }
    doubles_meet();
}

FN void desk_clear(struct desk *d) {
    for (u32 k = 0; k < LANE_DIGITS; k++)
        d->own[k] = d->own[OF_A + k] = 0;
}

/* Not compiled for older devices, which never launch it. */
FN void doubles_by_team(const struct powers *p, BOX u64 *box, GLOBAL u64 *record,
                        GLOBAL const u64 *table, u32 is_traced) {
#if !defined(__CUDA_ARCH__) || __CUDA_ARCH__ >= 900
    const u64 slot = NUMBER;
    const u32 rows = p->rows;
    struct desk d;
    d.t = team_of(LOCAL_ID, p->rows);
    d.box = box;
    d.own = d.box + d.t.lane * LANE_DIGITS;
    d.table = (GLOBAL u64 *)p->tables + slot * TEAM + d.t.lane;
    d.step = (u64)p->slots * TEAM;
    d.trace.words.is_on = is_traced;
    box[TEAM * LANE_DIGITS] = 0; /* what is read behind b is a number */
    if (slot >= p->slots)
        return;
    if (is_traced)
        doubles_trace_begin(&d.trace, table, d.t);
    for (u64 first = 0; power_goes_on(p, first, slot); first += p->slots) {
        u64 number = first + slot;
        desk_begin(&d, p, last_of(number, p->count));
        for (u32 products = desk_turn(&d); products > 0;) {
            doubles_product(box, d.minv, rows);
            if (is_traced)
                desk_trace(&d);
            if (--products > 0)
                doubles_square(box, rows);
            else
                products = desk_turn(&d);
        }
        desk_end(&d, number < p->count, record);
    }
    if (p->is_secret)
        desk_clear(&d);
#endif
}

/* modular.cl's modular_power, with entries of MODULAR_DOUBLE_WORDS(MODULAR_WORDS) words. */
KERNEL_DENSE(MODULAR_THREADS, MODULAR_GROUPS)
modular_power_double(GLOBAL u32 *r, GLOBAL const u32 *u, GLOBAL const u32 *e, GLOBAL const u32 *m,
                     GLOBAL const u32 *known, GLOBAL u32 *tables, u64 count, u32 words, u32 rows,
                     u32 exponent_words, u32 window, u32 is_secret, u32 shared, u32 slots) {
    struct powers p = {r,      u,         e,      m,    known,
                       tables, count,     words,  rows, exponent_words,
                       window, is_secret, shared, slots};
    BOX_ARRAY(boxes);
    doubles_by_team(&p, OWN_BOX(boxes), 0, 0, 0);
}

/* The same, and into the record what the check wants to know, MODULAR_DOUBLE_TRACE_WORDS more for
 * each lane of an entry. */
KERNEL_DENSE(MODULAR_THREADS, MODULAR_GROUPS)
modular_power_double_traced(GLOBAL u32 *r, GLOBAL const u32 *u, GLOBAL const u32 *e,
                            GLOBAL const u32 *m, GLOBAL const u32 *known, GLOBAL u32 *tables,
                            GLOBAL u64 *record, u64 count, u32 words, u32 rows, u32 exponent_words,
                            u32 window, u32 is_secret, u32 shared, u32 slots,
                            GLOBAL const u32 *table_words, u64 table_at) {
    struct powers p = {r,      u,         e,      m,    known,
                       tables, count,     words,  rows, exponent_words,
                       window, is_secret, shared, slots};
    BOX_ARRAY(boxes);
    doubles_by_team(&p, OWN_BOX(boxes), record, (GLOBAL const u64 *)(table_words + table_at), 1);
}
