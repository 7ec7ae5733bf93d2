/* SPDX-License-Identifier: LGPL-3.0-or-later
 * Numbers in lanes (lanes.h) with a residue that every operation updates. These residues check the
 * results of modular batches (doc/design/modular-batches.md).
 *
 * A product is r = (a b + q m) / R - c m, as integers, where c is 0 or 1. So the residue of r
 * modulo a random modulus P follows from the residues of a, b and m, from c and from q. (The
 * product overwrites the words of b with those of q.) The stored residue of x is 2^64 x / R
 * modulo P. If digits of r are wrong, r does not match its computed residue. Then no later result
 * matches its residue, either. */
#ifndef TRACED_H
#define TRACED_H

#include "kernels/check/residue.h"
#include "kernels/modular/montgomery.h"

/* What a lane (work-item) needs to update the residues of its numbers. If is_on is 0, operations
 * update no residues. */
struct trace {
    u32 is_on;
    u64 p, pinv; /* P, the modulus of the check, and 1/P mod 2^64 */
    /* lane_down returns a value for this work-item's words. That value times `weight` is the part
     * of the number's residue that these words contribute. */
    u64 weight;
    u64 of_m; /* the residue of the modulus m */
    /* The factor for the words of the quotient q: `weight` times the residue of m, because
     * Montgomery's product adds q m to a b. */
    u64 m_weight;
};

struct number {
    u32 x[LANE_WORDS];
    u64 residue;
    u64 exponent; /* for powers: x is base^exponent; the exponent is kept modulo P */
};

/* ---- residues */

/* Returns -x / 2^(32 n) modulo P, where x is the number in this work-item's n words. */
FN u64 lane_down(const u32 *x, const struct trace *c, struct team t) {
    u64 s = 0;
    EACH_WORD(k, t) s = residue_down(s, x[k], c->p, c->pinv);
    return s;
}

/* Returns the value x of work-item `lane` of the team; all work-items of the team get it. */
FN u64 trace_from(u64 x, u32 lane) {
#if TEAM == 1
    (void)lane;
    return x;
#else
    u32 low = team_from((u32)x, lane), high = team_from((u32)(x >> 32), lane);
    return (u64)high << 32 | low;
#endif
}

/* Returns the sum of `part` over all work-items of the team, modulo P. */
FN u64 trace_sum(u64 part, const struct trace *c, struct team t) {
    (void)c, (void)t;
    for (u32 step = 1; step < TEAM; step *= 2)
        part = residue_plus(part, trace_from(part, t.lane ^ step), c->p);
    return part;
}

/*@ requires \valid_read(c) && x < c->p;
    assigns \nothing;
    ensures \result == (x == 0 ? 0 : c->p - x); */
FN u64 trace_minus(u64 x, const struct trace *c) {
    return x ? c->p - x : 0;
}

/* Returns the residue of the number whose words x the work-items of a team share. */
FN u64 trace_of(const u32 *x, const struct trace *c, struct team t) {
    return trace_sum(residue_product(lane_down(x, c, t), c->weight, c->p, c->pinv), c, t);
}

/* Returns the residue of the number {from, words} modulo the check's random modulus c->p. `words`
 * is at most the team's t.rows. For the residue, the words are loaded once more, by another
 * work-item if several share the number. So an error in loading changes the number or its residue,
 * but not both. */
FN u64 trace_load(GLOBAL const u32 *from, u32 words, const struct trace *c, struct team t) {
    GLOBAL const volatile u32 *again = from;
    u32 other = TEAM - 1 - t.lane, at = other * LANE_WORDS;
    u64 s = 0;
    EACH_WORD(k, t) s = residue_down(s, at + k < words ? again[at + k] : 0u, c->p, c->pinv);
    s = trace_from(s, other);
    return trace_sum(residue_product(s, c->weight, c->p, c->pinv), c, t);
}

/* Begins traces with the table of constants of kernels/check/residue.h. */
FN void trace_begin(struct trace *c, GLOBAL const u64 *table, struct team t) {
    u32 lanes = TEAM == 1 ? 1 : t.rows / LANE_WORDS, is_used = t.lane < lanes;
    u64 high = table[RESIDUE_HIGH], down = table[RESIDUE_DOWN + (is_used ? lanes - 1 - t.lane : 0)];
    c->p = table[RESIDUE_M];
    c->pinv = table[RESIDUE_MINV];
    down = residue_product(residue_product(down, high, c->p, c->pinv), high, c->p, c->pinv);
    c->weight = is_used ? down : 0;
}

FN void trace_modulus(struct trace *c, GLOBAL const u32 *m, u32 words, struct team t) {
    c->of_m = trace_load(m, words, c, t);
    c->m_weight = residue_product(c->weight, c->of_m, c->p, c->pinv);
}

/* Returns the residue of the product of two numbers with residues a and b. The argument q is
 * lane_down's result for this work-item's words of the quotient q. `subtracted` is 1 if m was
 * subtracted from the product, otherwise 0. */
FN u64 trace_product(u64 a, u64 b, u64 q, u32 subtracted, const struct trace *c, struct team t) {
    struct residue_sum sum = {0, 0};
    u64 part, minus = subtracted ? trace_minus(c->of_m, c) : 0;
    sum = residue_sum_add(sum, q, c->m_weight);
    sum = residue_sum_add(sum, t.lane == 0 ? a : 0, b);
    part = residue_reduce(sum, c->p, c->pinv); /* below 2 P */
    part = part < c->p ? part : part - c->p;
    return residue_plus(trace_sum(part, c, t), minus, c->p);
}

/* ---- numbers */

FN void number_set(struct number *x, const struct number *y, struct team t) {
    lane_set(x->x, y->x, t);
    x->residue = y->residue;
    x->exponent = y->exponent;
}

/* Loads the number {from, words}, of at most `rows` words, and computes its residue. */
FN void number_load(struct number *x, GLOBAL const u32 *from, u32 words, const struct trace *c,
                    struct team t) {
    lane_load(x->x, from, words, t);
    x->residue = c->is_on ? trace_load(from, words, c, t) : 0;
    x->exponent = 0;
}

/* Computes x = x y / R mod m (montgomery_multiply). Overwrites y. */
FN void number_multiply(struct number *x, struct number *y, const struct montgomery *w,
                        const struct trace *c, struct team t) {
    u32 subtracted = montgomery_multiply(x->x, x->x, y->x, w, t);
    if (c->is_on) {
        u64 q = lane_down(y->x, c, t);
        x->residue = trace_product(x->residue, y->residue, q, subtracted, c, t);
        x->exponent = residue_plus(x->exponent, y->exponent, c->p);
    }
}

/* Computes x = x y / R mod m, without changing y. */
FN void number_by(struct number *x, const struct number *y, const struct montgomery *w,
                  const struct trace *c, struct team t) {
    struct number copy;
    number_set(&copy, y, t);
    number_multiply(x, &copy, w, c, t);
}

/* Computes x = x / R mod m. */
FN void number_leave(struct number *x, const struct montgomery *w, const struct trace *c,
                     struct team t) {
    struct number one;
    lane_small(one.x, 1, 0, t);
    one.residue = c->is_on ? trace_of(one.x, c, t) : 0;
    one.exponent = 0;
    number_multiply(x, &one, w, c, t);
}

/* Computes x = x + y mod m (team_add_modulo). */
FN void number_add(struct number *x, const struct number *y, const struct montgomery *w,
                   const struct trace *c, struct team t) {
    u32 subtracted = team_add_modulo(x->x, y->x, w->m, t);
    if (c->is_on) {
        u64 sum = residue_plus(x->residue, y->residue, c->p);
        x->residue = residue_plus(sum, subtracted ? trace_minus(c->of_m, c) : 0, c->p);
    }
}

/* Computes x = m - x, for x at most m. */
FN void number_negate(struct number *x, const struct montgomery *w, const struct trace *c,
                      struct team t) {
    u32 d[LANE_WORDS];
    team_subtract(d, w->m, x->x, t);
    lane_set(x->x, d, t);
    if (c->is_on)
        x->residue = residue_plus(c->of_m, trace_minus(x->residue, c), c->p);
}

/* Stores a residue in a record (modular.h). Only the first of the work-items that share the number
 * calls this. `nonce` differs between operations, so that the check refuses a record written with
 * an earlier operation's arguments. */
FN void trace_store(GLOBAL u64 *record, u64 residue, u64 nonce) {
    *record = residue + 1 + nonce;
}

#endif
