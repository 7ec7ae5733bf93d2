/* SPDX-License-Identifier: LGPL-3.0-or-later
 * Functions of lanes.h for one work-item per number, in loops: for PoCL, host C, and GPUs without
 * NVIDIA's shuffles. */
#ifndef LANES_PLAIN_H
#define LANES_PLAIN_H

#define EACH_WORD(k, t) for (u32 k = 0; k < (t).rows; k++)

FN struct team team_of(u32 id, u32 rows) {
    struct team t = {0, id, rows};
    return t;
}

FN u32 warp_any(u32 x) {
    return x != 0;
}

/* Returns x of lane `from`. Here a team has only one lane. */
FN u32 team_from(u32 x, u32 from) {
    (void)from;
    return x;
}

FN u32 team_above(u32 x, struct team t) {
    (void)x, (void)t;
    return 0;
}

/* Adds y to x. Returns the carry. */
FN u32 lane_add(u32 *x, const u32 *y, struct team t) {
    u64 sum = 0;
    EACH_WORD(k, t) {
        sum += (u64)x[k] + y[k];
        x[k] = (u32)sum;
        sum >>= 32;
    }
    return (u32)sum;
}

/* Adds each lane's carry to the next lane. Returns the carry out of the number; here, with one
 * lane, it is the lane's carry. */
FN u32 team_resolve(u32 *x, u32 carry, struct team t) {
    (void)x, (void)t;
    return carry;
}

/* Computes d = x - y. Returns the borrow. */
FN u32 team_subtract(u32 *d, const u32 *x, const u32 *y, struct team t) {
    u32 borrow = 0;
    EACH_WORD(k, t) {
        u64 word = (u64)x[k] - y[k] - borrow;
        d[k] = (u32)word;
        borrow = (u32)(word >> 63);
    }
    return borrow;
}

/* Returns the index of the highest word of x that is not 0, or 0 if all are 0. */
FN u32 team_top(const u32 *x, struct team t) {
    u32 top = 0;
    EACH_WORD(k, t) top = x[k] ? k : top;
    return top;
}

FN u32 team_lowest_word(const u32 *x, struct team t) {
    (void)t;
    return x[0];
}

FN u32 team_is_zero(const u32 *x, struct team t) {
    u32 bits = 0;
    EACH_WORD(k, t) bits |= x[k];
    return bits == 0;
}

/* Computes r = a b / 2^(32 rows) mod m, not fully reduced: below m + a or below m + b. Returns the
 * word above r. Row i adds a b_i and the multiple q_i of m that makes the lowest word zero, and
 * drops that word. Replaces b by q. r may be a. */
FN u32 team_rows(u32 *r, const u32 *a, u32 *b, const u32 *m, u32 minv, struct team t) {
    u32 x[LANE_WORDS], top = 0;
    EACH_WORD(k, t) x[k] = 0;
    EACH_WORD(i, t) {
        u64 low = (u64)a[0] * b[i] + x[0], high;
        u32 q = (u32)low * minv;
        high = (u64)m[0] * q + (u32)low;
        for (u32 k = 1; k < t.rows; k++) {
            low = (u64)a[k] * b[i] + x[k] + (low >> 32);
            high = (u64)m[k] * q + (u32)low + (high >> 32);
            x[k - 1] = (u32)high;
        }
        low = (low >> 32) + (high >> 32) + top;
        x[t.rows - 1] = (u32)low;
        top = (u32)(low >> 32);
        b[i] = q;
    }
    EACH_WORD(k, t) r[k] = x[k];
    return top;
}

#endif
