/* SPDX-License-Identifier: LGPL-3.0-or-later
 * Montgomery's products of numbers in lanes (lanes.h), with R = 2^(32 rows). */
#ifndef MONTGOMERY_H
#define MONTGOMERY_H

#include "kernels/modular/lanes.h"

/* An odd modulus m, and -1/m mod 2^32. */
struct montgomery {
    u32 m[LANE_WORDS], minv;
};

/* Computes r = a b / R mod m, as (a b + q m) / R - c m with c = 0 or 1. Returns c. r is below m if
 * a or b is, otherwise below R. Replaces b by q. r may be a. */
/*@ requires 1 <= t.rows <= LANE_WORDS && \valid(r + (0 .. t.rows - 1)) && \valid_read(w);
    requires \valid(b + (0 .. t.rows - 1)) && \valid_read(a + (0 .. t.rows - 1));
    requires \separated(a + (0 .. t.rows - 1), b + (0 .. t.rows - 1));
    requires \separated(b + (0 .. t.rows - 1), w) && \separated(r + (0 .. t.rows - 1), w);
    assigns r[0 .. t.rows - 1], b[0 .. t.rows - 1];
    ensures \result <= 1; */
FN u32 montgomery_multiply(u32 *r, const u32 *a, u32 *b, const struct montgomery *w,
                           struct team t) {
    u32 over = team_rows(r, a, b, w->m, w->minv, t);
    return team_reduce(r, over, w->m, t);
}

/* Computes a = a b / R mod m. Does not change b. */
/*@ requires 1 <= t.rows <= LANE_WORDS && \valid(a + (0 .. t.rows - 1)) && \valid_read(w);
    requires \valid_read(b + (0 .. t.rows - 1)) && \separated(a + (0 .. t.rows - 1), w);
    assigns a[0 .. t.rows - 1]; */
FN void montgomery_by(u32 *a, const u32 *b, const struct montgomery *w, struct team t) {
    u32 copy[LANE_WORDS];
    lane_set(copy, b, t);
    montgomery_multiply(a, a, copy, w, t);
}

/* Returns -1/m mod 2^32, for an odd word m. The first approximation is right in 5 bits. */
/*@ assigns \nothing; */
FN u32 montgomery_inverse(u32 m) {
    u32 x = 3 * m ^ 2;
    /*@ loop invariant 0 <= k <= 3;
        loop assigns k, x;
        loop variant 3 - k; */
    for (int k = 0; k < 3; k++)
        x *= 2 - m * x;
    return 0 - x;
}

#endif
