/* SPDX-License-Identifier: LGPL-3.0-or-later
 * Functions of divide.cl for one work-item per number. The work-item reads and writes its numbers
 * in global memory. */
#ifndef DIVIDE_PLAIN_H
#define DIVIDE_PLAIN_H

#define PLACE GLOBAL
#define ROWS_OF(words) (words)
#define ROWS_ARRAY(box) const u32 box = 0
#define LANE_COUNT(t) ((t).rows)

struct rows {
    u64 number;
    u32 there;
};

FN struct rows rows_of(u32 unused, u64 first, u64 count, struct team t) {
    const u64 own = (u64)GROUP_X * DIVIDE_THREADS + LOCAL_ID;
    struct rows w = {first + own, own < count};
    (void)unused, (void)t;
    return w;
}

FN void rows_meet(void) {
}

FN GLOBAL const u32 *rows_load(struct rows w, GLOBAL const u32 *x, u64 step, u32 words) {
    (void)words;
    return x + w.number * step;
}

FN GLOBAL u32 *rows_result(struct rows w, GLOBAL u32 *x, u64 step) {
    return x + w.number * step;
}

/* Writes zeros to the words of the number at x from word `used`. The other words are in memory
 * already. */
FN void rows_store(struct rows w, GLOBAL u32 *x, u64 step, u32 words, u32 used) {
    for (u32 i = used; i < words; i++)
        x[w.number * step + i] = 0;
}

/* ---- remainders: no carries are pending */

/*@ requires 2 <= t.rows && \valid_read(x + (0 .. t.rows - 1));
    assigns \nothing; */
FN u64 lane_highest(const u32 *x, struct team t) {
    return (u64)x[t.rows - 1] << 32 | x[t.rows - 2];
}

/*@ assigns \nothing;
    ensures \result == 0; */
FN u32 rest_take(u32 *r, u32 *in, struct team t) {
    (void)r, (void)in, (void)t;
    return 0;
}

/* Performs one step of the division by d, given e = 2^(32 rows) - d. Replaces r by r 2^32 + word -
 * q d, computed as r 2^32 + word + q e - q 2^(32 rows). Returns the word above r: 0, or 1 if q was
 * too small. */
/*@ requires t.rows <= DIVIDE_MOST_WORDS && \valid(r + (0 .. t.rows - 1));
    requires \valid_read(e + (0 .. t.rows - 1));
    assigns r[0 .. t.rows - 1]; */
FN u32 rest_row(u32 *r, u32 *in, const u32 *e, u32 q, u32 word, struct team t) {
    u32 below = word, carry = 0;
    (void)in;
    /*@ loop invariant 0 <= k <= t.rows;
        loop assigns k, below, carry, r[0 .. t.rows - 1];
        loop variant t.rows - k; */
    EACH_WORD(k, t) {
        u64 sum = (u64)e[k] * q + below + carry;
        below = r[k];
        r[k] = (u32)sum;
        carry = (u32)(sum >> 32);
    }
    return below + carry - q;
}

#endif
