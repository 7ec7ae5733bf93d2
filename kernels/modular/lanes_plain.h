/* SPDX-License-Identifier: LGPL-3.0-or-later
 * Functions of lanes.h for one work-item per number, in loops: for PoCL, host C, and GPUs without
 * NVIDIA's shuffles. */
#ifndef LANES_PLAIN_H
#define LANES_PLAIN_H

#define EACH_WORD(k, t) for (u32 k = 0; k < (t).rows; k++)

/*@ assigns \nothing;
    ensures \result.lane == 0 && \result.first == id && \result.rows == rows; */
FN struct team team_of(u32 id, u32 rows) {
    struct team t = {0, id, rows};
    return t;
}

/*@ assigns \nothing;
    ensures \result == (x != 0); */
FN u32 warp_any(u32 x) {
    return x != 0;
}

/* Returns x of work-item `from` of the team. Here a team is a single work-item. */
/*@ assigns \nothing;
    ensures \result == x; */
FN u32 team_from(u32 x, u32 from) {
    (void)from;
    return x;
}

/*@ assigns \nothing;
    ensures \result == 0; */
FN u32 team_above(u32 x, struct team t) {
    (void)x, (void)t;
    return 0;
}

/* Adds y to x. Returns the carry. */
/*@ requires t.rows <= LANE_WORDS && \valid(x + (0 .. t.rows - 1));
    requires \valid_read(y + (0 .. t.rows - 1));
    assigns x[0 .. t.rows - 1];
    ensures \result <= 1; */
FN u32 lane_add(u32 *x, const u32 *y, struct team t) {
    u64 sum = 0;
    /*@ loop invariant 0 <= k <= t.rows && sum <= 1;
        loop assigns k, sum, x[0 .. t.rows - 1];
        loop variant t.rows - k; */
    EACH_WORD(k, t) {
        sum += (u64)x[k] + y[k];
        x[k] = (u32)sum;
        sum >>= 32;
    }
    return (u32)sum;
}

/* Adds the carry out of each work-item's words to the next work-item's words. Returns the carry out
 * of the number. Here one work-item has the whole number, so this is its carry. */
/*@ assigns \nothing;
    ensures \result == carry; */
FN u32 team_resolve(u32 *x, u32 carry, struct team t) {
    (void)x, (void)t;
    return carry;
}

/* Computes d = x - y. Returns the borrow. */
/*@ requires t.rows <= LANE_WORDS && \valid(d + (0 .. t.rows - 1));
    requires \valid_read(x + (0 .. t.rows - 1)) && \valid_read(y + (0 .. t.rows - 1));
    assigns d[0 .. t.rows - 1];
    ensures \result <= 1; */
FN u32 team_subtract(u32 *d, const u32 *x, const u32 *y, struct team t) {
    u32 borrow = 0;
    /*@ loop invariant 0 <= k <= t.rows && borrow <= 1;
        loop assigns k, borrow, d[0 .. t.rows - 1];
        loop variant t.rows - k; */
    EACH_WORD(k, t) {
        u64 word = (u64)x[k] - y[k] - borrow;
        d[k] = (u32)word;
        borrow = (u32)(word >> 63);
    }
    return borrow;
}

/* Returns the index of the highest word of x that is not 0, or 0 if all are 0. */
/*@ requires t.rows <= LANE_WORDS && \valid_read(x + (0 .. t.rows - 1));
    assigns \nothing;
    ensures \result < t.rows || \result == 0;
    ensures \forall integer i; \result < i < t.rows ==> x[i] == 0;
    ensures \result > 0 ==> x[\result] != 0; */
FN u32 team_top(const u32 *x, struct team t) {
    u32 top = 0;
    /*@ loop invariant 0 <= k <= t.rows && (top < k || top == 0) && (top > 0 ==> x[top] != 0);
        loop invariant \forall integer i; top < i < k ==> x[i] == 0;
        loop assigns k, top;
        loop variant t.rows - k; */
    EACH_WORD(k, t) top = x[k] ? k : top;
    return top;
}

/*@ requires \valid_read(x);
    assigns \nothing;
    ensures \result == x[0]; */
FN u32 team_lowest_word(const u32 *x, struct team t) {
    (void)t;
    return x[0];
}

/*@ requires t.rows <= LANE_WORDS && \valid_read(x + (0 .. t.rows - 1));
    assigns \nothing;
    ensures \result <= 1; */
FN u32 team_is_zero(const u32 *x, struct team t) {
    u32 bits = 0;
    /*@ loop invariant 0 <= k <= t.rows;
        loop assigns k, bits;
        loop variant t.rows - k; */
    EACH_WORD(k, t) bits |= x[k];
    return bits == 0;
}

/* Computes r = a b / 2^(32 rows) mod m, not fully reduced: r is below m + a or below m + b. Returns
 * the word above r. r may be a. Replaces b by the words q_i: row i adds a times word i of b and q_i
 * m, where q_i makes the lowest word zero, and then drops this word. */
/*@ requires 1 <= t.rows <= LANE_WORDS && \valid(r + (0 .. t.rows - 1));
    requires \valid(b + (0 .. t.rows - 1)) && \separated(b + (0 .. t.rows - 1), m + (0 .. t.rows -
   1)); requires \valid_read(a + (0 .. t.rows - 1)) && \valid_read(m + (0 .. t.rows - 1)); requires
   \separated(a + (0 .. t.rows - 1), b + (0 .. t.rows - 1)); assigns r[0 .. t.rows - 1], b[0 ..
   t.rows - 1]; ensures \result <= 1; */
FN u32 team_rows(u32 *r, const u32 *a, u32 *b, const u32 *m, u32 minv, struct team t) {
    u32 x[LANE_WORDS], top = 0;
    /*@ loop invariant 0 <= k <= t.rows;
        loop assigns k, x[0 .. t.rows - 1];
        loop variant t.rows - k; */
    EACH_WORD(k, t) x[k] = 0;
    /*@ loop invariant 0 <= i <= t.rows && top <= 1;
        loop assigns i, top, x[0 .. t.rows - 1], b[0 .. t.rows - 1];
        loop variant t.rows - i; */
    EACH_WORD(i, t) {
        u64 low = (u64)a[0] * b[i] + x[0], high;
        u32 q = (u32)low * minv;
        high = (u64)m[0] * q + (u32)low;
        /*@ loop invariant 1 <= k <= t.rows;
            loop assigns k, low, high, x[0 .. t.rows - 1];
            loop variant t.rows - k; */
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
    /*@ loop invariant 0 <= k <= t.rows;
        loop assigns k, r[0 .. t.rows - 1];
        loop variant t.rows - k; */
    EACH_WORD(k, t) r[k] = x[k];
    return top;
}

#endif
