/* SPDX-License-Identifier: LGPL-3.0-or-later
 * Functions of lanes.h for teams of a warp, with NVIDIA's carry flag. They use the instructions of
 * lanes_ptx.h, or an emulation of them in tests. */
#ifndef LANES_TEAM_H
#define LANES_TEAM_H

#if !defined(LANES_EMULATED)
#include "kernels/modular/lanes_ptx.h"
#endif

#define EACH_WORD(k, t) UNROLL for (u32 k = 0; k < LANE_WORDS; k++)

FN struct team team_of(u32 id, u32 rows) {
    struct team t = {id % TEAM, id % 32 - id % TEAM, rows};
    return t;
}

FN u32 warp_any(u32 x) {
    return warp_ballot(x) != 0;
}

/* Returns a mask in which bit i is set if x is not 0 in work-item i of the team. */
FN u32 team_ballot(u32 x, struct team t) {
    return warp_ballot(x) >> t.first & (~0u >> (32 - TEAM));
}

/* Return x of another work-item (lane) of the team: of lane `from`, of the lane below, or of the
 * lane above; 0 if there is no such lane. */
FN u32 team_from(u32 x, u32 from) {
    return TEAM == 1 ? x : warp_from(x, from);
}

FN u32 team_below(u32 x, struct team t) {
    u32 r = TEAM == 1 ? 0 : warp_below(x);
    return t.lane == 0 ? 0 : r;
}

FN u32 team_above(u32 x, struct team t) {
    u32 r = TEAM == 1 ? 0 : warp_above(x);
    return t.lane == TEAM - 1 ? 0 : r;
}

/* Operations on the words of one lane (work-item), without the other lanes. lane_add: x += y;
 * lane_increase: x += carry; both return the carry. lane_subtract: d = x - y, returns the borrow.
 * lane_decrease: x -= borrow. */
FN u32 lane_add(u32 *x, const u32 *y, struct team t) {
    (void)t;
    x[0] = lane_add_cc(x[0], y[0]);
    UNROLL for (int k = 1; k < LANE_WORDS; k++) x[k] = lane_addc_cc(x[k], y[k]);
    return lane_addc(0, 0);
}

FN u32 lane_increase(u32 *x, u32 carry) {
    x[0] = lane_add_cc(x[0], carry);
    UNROLL for (int k = 1; k < LANE_WORDS; k++) x[k] = lane_addc_cc(x[k], 0);
    return lane_addc(0, 0);
}

FN u32 lane_subtract(u32 *d, const u32 *x, const u32 *y) {
    d[0] = lane_sub_cc(x[0], y[0]);
    UNROLL for (int k = 1; k < LANE_WORDS; k++) d[k] = lane_subc_cc(x[k], y[k]);
    return lane_subc(0, 0) & 1u;
}

FN void lane_decrease(u32 *x, u32 borrow) {
    x[0] = lane_sub_cc(x[0], borrow);
    UNROLL for (int k = 1; k < LANE_WORDS; k++) x[k] = lane_subc_cc(x[k], 0);
}

/* Propagates carries through the lanes (work-items) of a team, which share a number. `generates`:
 * this lane has a carry out. `passes`: a carry into this lane leads to a carry out. Returns the
 * carry into this lane. Sets *out to the carry out of the team. */
FN u32 team_carry(u32 generates, u32 passes, u32 *out, struct team t) {
#if TEAM == 1
    (void)passes, (void)t;
    *out = generates;
    return 0;
#else
    u32 g = team_ballot(generates, t), p = team_ballot(passes, t), sum = (g | p) + g;
    *out = TEAM == 32 ? sum < g : sum >> (TEAM & 31) & 1u;
    return (sum ^ p) >> t.lane & 1u;
#endif
}

/* Adds the carry of each lane (work-item), of a few bits, to the next lane's words x, and
 * propagates it. Returns the carry out of the number. */
FN u32 team_resolve(u32 *x, u32 carry, struct team t) {
#if TEAM == 1
    (void)x, (void)t;
    return carry;
#else
    u32 top = team_from(carry, TEAM - 1), ones = ~0u, out, generates, in;
    generates = lane_increase(x, team_below(carry, t));
    EACH_WORD(k, t) ones &= x[k];
    in = team_carry(generates, ones == ~0u, &out, t);
    lane_increase(x, in);
    return top + out;
#endif
}

/* Computes d = x - y. Returns the borrow. */
FN u32 team_subtract(u32 *d, const u32 *x, const u32 *y, struct team t) {
    u32 borrow = lane_subtract(d, x, y), bits = 0, out, in;
    EACH_WORD(k, t) bits |= d[k];
    in = team_carry(borrow, bits == 0, &out, t);
    if (TEAM > 1)
        lane_decrease(d, in);
    return out;
}

FN u32 lane_top(const u32 *x, struct team t) {
    u32 top = 0;
    (void)t;
    EACH_WORD(k, t) top = x[k] ? k : top;
    return top;
}

FN u32 team_nonzero(const u32 *x, struct team t) {
    u32 bits = 0;
    EACH_WORD(k, t) bits |= x[k];
    return team_ballot(bits, t);
}

/* Returns the index of the highest word of x that is not 0, or 0 if all are 0. */
FN u32 team_top(const u32 *x, struct team t) {
    u32 lanes = team_nonzero(x, t), lane = 31 - LEADING_ZEROS32(lanes | 1u);
    return lane * LANE_WORDS + team_from(lane_top(x, t), lane);
}

FN u32 team_lowest_word(const u32 *x, struct team t) {
    (void)t;
    return team_from(x[0], 0);
}

FN u32 team_is_zero(const u32 *x, struct team t) {
    return team_nonzero(x, t) == 0;
}

/* Adds b times the even-numbered words of a to `even`. Adds the carry to the highest word of `odd`,
 * which is one word higher, and the carry of that word to *top. */
FN void lane_row(u32 *even, u32 *odd, u32 *top, const u32 *a, u32 b) {
    even[0] = lane_mad_lo_cc(a[0], b, even[0]);
    even[1] = lane_madc_hi_cc(a[0], b, even[1]);
    UNROLL for (int k = 2; k < LANE_WORDS; k += 2) {
        even[k] = lane_madc_lo_cc(a[k], b, even[k]);
        even[k + 1] = lane_madc_hi_cc(a[k], b, even[k + 1]);
    }
    odd[LANE_WORDS - 1] = lane_addc_cc(odd[LANE_WORDS - 1], 0);
    *top = lane_addc(*top, 0);
}

/* Computes a row of a Montgomery product modulo m, for this lane's words. Shifts the sum (even,
 * odd) down by one word, adds a times lane i's word *b, which q replaces, and adds q m, where q
 * makes the lowest word zero. `in` is the word that moves in from the lane above, *top the carries
 * above this lane's words. Returns `in` of the next row.
 *
 * The shift turns even places into odd ones, so callers must exchange `even` and `odd` from row to
 * row. */
FN u32 team_row(u32 *even, u32 *odd, u32 *top, u32 in, const u32 *a, u32 *b, const u32 *m, u32 minv,
                u32 i, struct team t) {
    u32 word = team_from(*b, i), q;
    even[0] = lane_add_cc(even[0], odd[1]);
    UNROLL for (int k = 0; k < LANE_WORDS - 2; k += 2) {
        odd[k] = lane_madc_lo_cc(a[k + 1], word, odd[k + 2]);
        odd[k + 1] = lane_madc_hi_cc(a[k + 1], word, odd[k + 3]);
    }
    odd[LANE_WORDS - 2] = lane_madc_lo_cc(a[LANE_WORDS - 1], word, in);
    odd[LANE_WORDS - 1] = lane_madc_hi_cc(a[LANE_WORDS - 1], word, *top);
    *top = lane_addc(0, 0);
    lane_row(even, odd, top, a, word);
    q = team_from(even[0] * minv, 0);
    odd[0] = lane_mad_lo_cc(m[1], q, odd[0]);
    odd[1] = lane_madc_hi_cc(m[1], q, odd[1]);
    UNROLL for (int k = 2; k < LANE_WORDS; k += 2) {
        odd[k] = lane_madc_lo_cc(m[k + 1], q, odd[k]);
        odd[k + 1] = lane_madc_hi_cc(m[k + 1], q, odd[k + 1]);
    }
    *top = lane_addc(*top, 0);
    lane_row(even, odd, top, m, q);
    *b = t.lane == i ? q : *b;
    return team_above(even[0], t);
}

/* Computes r = a b / 2^(32 rows) mod m as in lanes_plain.h. The sum in the words of a lane
 * (work-item) is at most 2^(32 LANE_WORDS + 2). */
FN u32 team_rows(u32 *r, const u32 *a, u32 *b, const u32 *m, u32 minv, struct team t) {
    u32 x[LANE_WORDS], y[LANE_WORDS], top = 0, in = 0;
    EACH_WORD(k, t) x[k] = y[k] = 0;
    for (u32 i = 0; i < t.rows / LANE_WORDS; i++) {
        UNROLL for (int k = 0; k < LANE_WORDS; k += 2) {
            in = team_row(x, y, &top, in, a, b + k, m, minv, i, t);
            in = team_row(y, x, &top, in, a, b + k + 1, m, minv, i, t);
        }
    }
    r[0] = lane_add_cc(x[0], y[1]);
    UNROLL for (int k = 1; k < LANE_WORDS - 1; k++) r[k] = lane_addc_cc(x[k], y[k + 1]);
    r[LANE_WORDS - 1] = lane_addc_cc(x[LANE_WORDS - 1], in);
    return team_resolve(r, lane_addc(top, 0), t);
}

#endif
