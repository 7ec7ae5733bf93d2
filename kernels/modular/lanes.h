/* SPDX-License-Identifier: LGPL-3.0-or-later
 * Numbers of MODULAR_WORDS words in registers. On NVIDIA's GPUs, a team of TEAM adjacent work-items
 * of a warp shares a number; each has LANE_WORDS consecutive words. There, all work-items of the
 * warp must call each of these functions. On other devices one work-item has a whole number. */
#ifndef LANES_H
#define LANES_H

#include "kernels/common/platform.h"
#include "kernels/modular/modular.h"

#ifndef MODULAR_WORDS
#define MODULAR_WORDS 8
#endif

#if defined(__CUDACC__) || defined(__NV_CL_C_VERSION) || defined(LANES_EMULATED)
#define MODULAR_TEAMS
#ifndef LANES_OF /* LANES_OF(words) */
#define LANES_OF(words) MODULAR_LANES(words)
#endif
#ifndef TEAM
#define TEAM LANES_OF(MODULAR_WORDS)
#endif
#else
#define TEAM 1
#endif
#define LANE_WORDS (MODULAR_WORDS / TEAM)

/* A work-item's place (`lane`) in its team, and the place of the team's first work-item in the
 * warp. Words of a number from word `rows` are zeros. If a team has several lanes, `rows` is a
 * multiple of LANE_WORDS. */
struct team {
    u32 lane, first, rows;
};

#if defined(MODULAR_TEAMS)
#include "kernels/modular/lanes_team.h"
#else
#include "kernels/modular/lanes_plain.h"
#endif

/* Loads those words of {from, words} that this lane (work-item) has; words above the number are
 * zeros. */
/*@ requires t.lane == 0 && t.rows <= LANE_WORDS && \valid(x + (0 .. t.rows - 1));
    requires \valid_read(from + (0 .. words - 1));
    requires \separated(x + (0 .. t.rows - 1), from + (0 .. words - 1));
    assigns x[0 .. t.rows - 1];
    ensures \forall integer i; 0 <= i < t.rows ==> x[i] == (i < words ? from[i] : 0); */
FN void lane_load(u32 *x, GLOBAL const u32 *from, u32 words, struct team t) {
    u32 at = t.lane * LANE_WORDS;
    /*@ loop invariant 0 <= k <= t.rows;
        loop invariant \forall integer i; 0 <= i < k ==> x[i] == (i < words ? from[i] : 0);
        loop assigns k, x[0 .. t.rows - 1];
        loop variant t.rows - k; */
    EACH_WORD(k, t) x[k] = at + k < words ? from[at + k] : 0u;
}

/*@ requires t.lane == 0 && t.rows <= LANE_WORDS && \valid_read(x + (0 .. t.rows - 1));
    requires \valid(to + (0 .. words - 1));
    assigns to[0 .. words - 1]; */
FN void lane_store(GLOBAL u32 *to, const u32 *x, u32 words, struct team t) {
    u32 at = t.lane * LANE_WORDS;
    /*@ loop invariant 0 <= k <= t.rows;
        loop assigns k, to[0 .. words - 1];
        loop variant t.rows - k; */
    EACH_WORD(k, t) if (at + k < words) to[at + k] = x[k];
}

/*@ requires t.rows <= LANE_WORDS && \valid(x + (0 .. t.rows - 1));
    requires \valid_read(from + (0 .. t.rows - 1));
    requires x == from || \separated(x + (0 .. t.rows - 1), from + (0 .. t.rows - 1));
    assigns x[0 .. t.rows - 1];
    ensures \forall integer i; 0 <= i < t.rows ==> x[i] == \old(from[i]); */
FN void lane_set(u32 *x, const u32 *from, struct team t) {
    /*@ loop invariant 0 <= k <= t.rows;
        loop invariant \forall integer i; 0 <= i < k ==> x[i] == \at(from[i], Pre);
        loop invariant \forall integer i; k <= i < t.rows ==> from[i] == \at(from[i], Pre);
        loop assigns k, x[0 .. t.rows - 1];
        loop variant t.rows - k; */
    EACH_WORD(k, t) x[k] = from[k];
}

/* Sets x to number 2^(32 at), for a number below 2^32. */
/*@ requires t.lane == 0 && t.rows <= LANE_WORDS && \valid(x + (0 .. t.rows - 1));
    assigns x[0 .. t.rows - 1];
    ensures \forall integer i; 0 <= i < t.rows ==> x[i] == (i == at ? number : 0); */
FN void lane_small(u32 *x, u32 number, u32 at, struct team t) {
    /*@ loop invariant 0 <= k <= t.rows;
        loop invariant \forall integer i; 0 <= i < k ==> x[i] == (i == at ? number : 0);
        loop assigns k, x[0 .. t.rows - 1];
        loop variant t.rows - k; */
    EACH_WORD(k, t) x[k] = t.lane * LANE_WORDS + k == at ? number : 0u;
}

/* Subtracts m from x unless the result would be negative. Returns 1 if m was subtracted. `over`, 0
 * or 1, is the word above x. x and this word together must be below m + 2^(32 rows). */
/*@ requires t.rows <= LANE_WORDS && \valid(x + (0 .. t.rows - 1)) && over <= 1;
    requires \valid_read(m + (0 .. t.rows - 1));
    assigns x[0 .. t.rows - 1];
    ensures \result <= 1; */
FN u32 team_reduce(u32 *x, u32 over, const u32 *m, struct team t) {
    u32 d[LANE_WORDS], keep;
    keep = team_subtract(d, x, m, t) & (over ^ 1u);
    /*@ loop invariant 0 <= k <= t.rows;
        loop assigns k, x[0 .. t.rows - 1];
        loop variant t.rows - k; */
    EACH_WORD(k, t) x[k] = keep ? x[k] : d[k];
    return keep ^ 1u;
}

/* Adds y to x. Then subtracts m unless the result would be negative, and returns 1 if m was
 * subtracted. The sum must be below m + 2^(32 rows). The result is below 2^(32 rows), and below m
 * if the sum is below 2 m. */
/*@ requires t.rows <= LANE_WORDS && \valid(x + (0 .. t.rows - 1));
    requires \valid_read(y + (0 .. t.rows - 1)) && \valid_read(m + (0 .. t.rows - 1));
    assigns x[0 .. t.rows - 1];
    ensures \result <= 1; */
FN u32 team_add_modulo(u32 *x, const u32 *y, const u32 *m, struct team t) {
    u32 over = team_resolve(x, lane_add(x, y, t), t);
    return team_reduce(x, over, m, t);
}

#endif
