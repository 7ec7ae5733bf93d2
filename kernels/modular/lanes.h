/* SPDX-License-Identifier: LGPL-3.0-or-later
 * Numbers of MODULAR_WORDS words in registers.  On GPUs of NVIDIA, a team of TEAM adjacent
 * work-items of a warp shares a number, LANE_WORDS consecutive words each; all work-items of a warp
 * must call every function here.  Elsewhere one work-item has the whole number. */
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

/* A work-item's place in its team, and the place of the team's first work-item in the warp.  Words
 * from `rows` on are zeros; `rows` is a multiple of LANE_WORDS if several lanes share a number. */
struct team {
    u32 lane, first, rows;
};

#if defined(MODULAR_TEAMS)
#include "kernels/modular/lanes_team.h"
#else
#include "kernels/modular/lanes_plain.h"
#endif

/* x = {from, words}, zeros above. */
FN void lane_load(u32 *x, GLOBAL const u32 *from, u32 words, struct team t) {
    u32 at = t.lane * LANE_WORDS;
    EACH_WORD(k, t) x[k] = at + k < words ? from[at + k] : 0u;
}

FN void lane_store(GLOBAL u32 *to, const u32 *x, u32 words, struct team t) {
    u32 at = t.lane * LANE_WORDS;
    EACH_WORD(k, t) if (at + k < words) to[at + k] = x[k];
}

FN void lane_set(u32 *x, const u32 *from, struct team t) {
    EACH_WORD(k, t) x[k] = from[k];
}

/* x = number, below 2^32, times 2^(32 at). */
FN void lane_small(u32 *x, u32 number, u32 at, struct team t) {
    EACH_WORD(k, t) x[k] = t.lane * LANE_WORDS + k == at ? number : 0u;
}

/* x -= m unless that is negative, and whether it was done; x has 2^(32 rows) times `over` on top,
 * and is below m + 2^(32 rows). */
FN u32 team_reduce(u32 *x, u32 over, const u32 *m, struct team t) {
    u32 d[LANE_WORDS], keep;
    keep = team_subtract(d, x, m, t) & (over ^ 1u);
    EACH_WORD(k, t) x[k] = keep ? x[k] : d[k];
    return keep ^ 1u;
}

/* x = x + y mod m, of numbers whose sum is below m + 2^(32 rows): less than that if it is below
 * 2 m.  Whether m was subtracted. */
FN u32 team_add_modulo(u32 *x, const u32 *y, const u32 *m, struct team t) {
    u32 over = team_settle(x, lane_add(x, y, t), t);
    return team_reduce(x, over, m, t);
}

#endif
