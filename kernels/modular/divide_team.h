/* SPDX-License-Identifier: LGPL-3.0-or-later
 * Loads and stores numbers of a team through local memory, so that adjacent work-items access
 * adjacent words of global memory. In local memory each number is a row. */
#ifndef DIVIDE_TEAM_H
#define DIVIDE_TEAM_H

#define PLACE LOCAL
#define ROWS_OF(words) ((u32)MODULAR_WORDS)
#define LANE_COUNT(t) ((u32)LANE_WORDS)

/* Words from one row to the next. The number is odd, so that rows begin in different banks. */
#define ROW_STEP (2 * MODULAR_WORDS + 1)
#define ROWS (32 / TEAM)
#define ROWS_ARRAY(box) LOCAL_ARRAY(u32, box, DIVIDE_THREADS / TEAM * ROW_STEP)

/* The number of work-items that copy a row, two words each at a time, and the number of rows that
 * one work-item copies at once. */
#define ROW_ITEMS (MODULAR_WORDS < 64 ? MODULAR_WORDS / 2 : 32)
#define ROW_TURNS (ROWS * ROW_ITEMS / 32)

/* The numbers of a warp, each in a row of local memory. box: the warp's rows; own: the row of this
 * work-item's team; first: index of the warp's first number; there: the count of its numbers.
 * Surplus teams load the last number again. */
struct rows {
    LOCAL u32 *box, *own;
    u64 first;
    u32 there;
};

FN struct rows rows_of(LOCAL u32 *box, u64 first, u64 count, struct team t) {
    const u64 begin = ((u64)GROUP_X * DIVIDE_THREADS + LOCAL_ID / 32 * 32) / TEAM;
    struct rows w;
    w.box = box + LOCAL_ID / 32 * ROWS * ROW_STEP;
    w.own = w.box + t.first / TEAM * ROW_STEP;
    w.first = first + begin;
    w.there = begin >= count ? 0u : count - begin < ROWS ? (u32)(count - begin) : ROWS;
    return w;
}

FN void rows_meet(void) {
    warp_meet();
}

/* Copies the numbers of the warp from x, where they are `step` words apart, to their rows in local
 * memory. Returns the row of this work-item's team. */
FN LOCAL u32 *rows_load(struct rows w, GLOBAL const u32 *x, u64 step, u32 words) {
    const u32 id = LOCAL_ID % 32, row = id / ROW_ITEMS;
    x += w.first * step;
    rows_meet();
    for (u32 i = id % ROW_ITEMS * 2; i < words; i += 2 * ROW_ITEMS) {
        u32 a[ROW_TURNS], b[ROW_TURNS];
        UNROLL for (u32 k = 0; k < ROW_TURNS; k++) {
            u32 number = MIN32(row + k * (32 / ROW_ITEMS), w.there - 1);
            LOAD2(GLOBAL, a[k], b[k], x + number * step + i);
        }
        UNROLL for (u32 k = 0; k < ROW_TURNS; k++) {
            LOCAL u32 *to = w.box + (row + k * (32 / ROW_ITEMS)) * ROW_STEP + i;
            to[0] = a[k];
            to[1] = b[k];
        }
    }
    rows_meet();
    return w.own;
}

FN LOCAL u32 *rows_result(struct rows w, GLOBAL u32 *x, u64 step) {
    (void)x, (void)step;
    return w.own;
}

/* Copies the numbers of the warp from their rows in local memory to x. The words of each number
 * from word `used` become zeros. */
FN void rows_store(struct rows w, GLOBAL u32 *x, u64 step, u32 words, u32 used) {
    const u32 id = LOCAL_ID % 32;
    x += w.first * step;
    rows_meet();
    for (u32 i = id % ROW_ITEMS * 2; i < words; i += 2 * ROW_ITEMS)
        UNROLL for (u32 k = 0; k < ROW_TURNS; k++) {
            u32 row = id / ROW_ITEMS + k * (32 / ROW_ITEMS);
            LOCAL const u32 *from = w.box + row * ROW_STEP + i;
            if (row < w.there)
                STORE2_TO(GLOBAL, x + row * step + i, i < used ? from[0] : 0u,
                          i + 1 < used ? from[1] : 0u);
        }
}

/* ---- remainders; `in` is the pending carry, 33 bits, from the work-item below */

FN u64 lane_highest(const u32 *x, struct team t) {
    (void)t;
    return (u64)x[LANE_WORDS - 1] << 32 | x[LANE_WORDS - 2];
}

/* Adds the pending carry `in` to r, this work-item's words, and sets `in` to 0. Returns the carry
 * out of these words. */
FN u32 rest_take(u32 *r, u32 *in, struct team t) {
    (void)t;
    r[0] = lane_add_cc(r[0], in[0]);
    r[1] = lane_addc_cc(r[1], in[1]);
    UNROLL for (int k = 2; k < LANE_WORDS; k++) r[k] = lane_addc_cc(r[k], 0);
    in[0] = in[1] = 0;
    return lane_addc(0, 0);
}

/* Performs one step of the division by d, where e = 2^(32 rows) - d. Replaces the number r, which
 * the work-items (lanes) of a team share, by (r + in) 2^32 + word + q e - q 2^(32 rows). `in` has
 * the carry that is pending into this lane's words: on entry from the previous step, on return from
 * this step. Returns the word above this lane's words of r. Only the word that the highest lane
 * returns belongs to the result. */
FN u32 rest_row(u32 *r, u32 *in, const u32 *e, u32 q, u32 word, struct team t) {
    u32 x[LANE_WORDS], top, over;
    u64 odd[LANE_WORDS / 2], first = (u64)e[0] * q + word;
    odd[0] = (u64)e[1] * q + ((u64)r[0] + in[0]);
    UNROLL for (int k = 1; k < LANE_WORDS / 2; k++) odd[k] = (u64)e[2 * k + 1] * q;
    x[0] = lane_add_cc(in[1], ~0u);
    UNROLL for (int k = 2; k < LANE_WORDS; k += 2) {
        x[k] = lane_madc_lo_cc(e[k], q, r[k - 1]);
        x[k + 1] = lane_madc_hi_cc(e[k], q, r[k]);
    }
    top = lane_addc_cc(r[LANE_WORDS - 1], 0);
    over = lane_addc(0, 0);
    r[0] = (u32)first;
    r[1] = lane_add_cc((u32)(first >> 32), (u32)odd[0]);
    UNROLL for (int k = 2; k < LANE_WORDS; k += 2) {
        r[k] = lane_addc_cc(x[k], (u32)(odd[k / 2 - 1] >> 32));
        r[k + 1] = lane_addc_cc(x[k + 1], (u32)odd[k / 2]);
    }
    top = lane_addc_cc(top, (u32)(odd[LANE_WORDS / 2 - 1] >> 32));
    over = lane_addc(over, 0);
    in[0] = team_below(top, t);
    in[1] = team_below(over, t);
    return top - q;
}

#endif
