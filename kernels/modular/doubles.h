/* SPDX-License-Identifier: LGPL-3.0-or-later
 * Montgomery products with floating-point units. A number has N signed digits of 52 bits, each in
 * a double. Each lane of a team (lanes.h) has LANE_DIGITS digits. A number of `rows` words has N
 * = 5 rows / 8 digits. Montgomery products divide by R = 2^(52 N), which is 2^(rows / 2) times
 * 2^(32 rows) (doc/design/modular-batches.md).
 *
 * A product of digits is split in two doubles. The first is 1.5 2^104 plus the product's part above
 * 2^52, rounded down. The second is 2^52 plus the rest. The bits of these doubles are added as
 * 64-bit integers, with the bits of the two constants. */
#ifndef DOUBLES_H
#define DOUBLES_H

#include "kernels/common/double_bits.h"
#include "kernels/modular/lanes.h"

#if defined(__OPENCL_VERSION__)
#pragma OPENCL EXTENSION cl_khr_fp64 : enable
#endif

#define LANE_DIGITS (LANE_WORDS * 5 / 8)
#define EACH_DIGIT(k) UNROLL for (int k = 0; k < LANE_DIGITS; k++)
#define DIGIT_HALF ((u64)0x8000000000000)   /* 2^51 */
#define DIGIT_MASK ((u64)0xfffffffffffff)   /* 2^52 - 1 */
#define BITS_HIGH ((u64)0x4678000000000000) /* the bits of 1.5 2^104 */
#define BITS_LOW ((u64)0x4330000000000000)  /* the bits of 2^52 */
#define CARRY_MIDDLE 1024u                  /* added to carries, so that they are not negative */
#define CARRY_BITS ((u64)CARRY_MIDDLE << 52)
#define ROW_BITS (2 * (BITS_HIGH + BITS_LOW))

/* Local memory of a team (the work-items that share a number): the digits of b, a and m. Behind b
 * there is room for one more digit. */
#define BOX_SPAN (TEAM * LANE_DIGITS + (TEAM > 4 ? 2 : 1))
#define BOX_DIGITS (3 * BOX_SPAN)

#if defined(MODULAR_TEAMS)
#define BOX LOCAL
#define BOX_ARRAY(boxes) LOCAL_ARRAY(u64, boxes, MODULAR_THREADS / TEAM * BOX_DIGITS)
#define OWN_BOX(boxes) ((boxes) + LOCAL_ID / TEAM * BOX_DIGITS)
#else
#define BOX
#define BOX_ARRAY(boxes) u64 boxes[BOX_DIGITS]
#define OWN_BOX(boxes) (boxes)
#endif

/* Returns x - middle as a double, for x below 2^52. */
FN double digit_of(u64 x, double middle) {
    return AS_DOUBLE(x | BITS_LOW) - (0x1p52 + middle);
}

/* Returns x + 2^51, for x from -2^51 to 2^51 - 1. */
FN u64 digit_bits(double x) {
    return AS_BITS(x + 0x1.8p52) & DIGIT_MASK;
}

/* ---- products of digits of at most 2^51 + 2^10 in magnitude */

#if defined(__CUDACC__)
FN double fma_to_zero(double a, double b, double c) {
    double r;
    asm("fma.rz.f64 %0, %1, %2, %3;" : "=d"(r) : "d"(a), "d"(b), "d"(c));
    return r;
}

/* product_high returns BITS_HIGH + floor(a b / 2^52). product_low returns BITS_LOW plus the rest of
 * a b, given the result of product_high. */
FN u64 product_high(double a, double b) {
    return AS_BITS(fma_to_zero(a, b, 0x1.8p104));
}

FN u64 product_low(double a, double b, u64 high) {
    return AS_BITS(fma_to_zero(a, b, 0x1.8p104 + 0x1p52 - AS_DOUBLE(high)));
}
#else
FN u64 product_high(double a, double b) {
    s64 x = (s64)a, y = (s64)b;
    u64 high = MULHI64((u64)x, (u64)y) - (x < 0 ? (u64)y : 0) - (y < 0 ? (u64)x : 0);
    return (high << 12 | ((u64)x * (u64)y) >> 52) + BITS_HIGH;
}

FN u64 product_low(double a, double b, u64 high) {
    (void)high;
    return (((u64)(s64)a * (u64)(s64)b) & DIGIT_MASK) + BITS_LOW;
}
#endif

/* ---- exchange between the lanes of a team */

#if TEAM == 1
FN void doubles_meet(void) {
}
FN u64 double_from(u64 x, u32 lane) {
    (void)lane;
    return x;
}
FN u64 double_above(u64 x, struct team t) {
    (void)x, (void)t;
    return 0;
}
FN u32 double_below(u32 x, struct team t) {
    (void)x, (void)t;
    return 0;
}
#else
/* Synchronises the warp, so that its lanes see what others have written to local memory. */
FN void doubles_meet(void) {
    warp_meet();
}
FN u64 double_from(u64 x, u32 lane) {
    u32 low = team_from((u32)x, lane), high = team_from((u32)(x >> 32), lane);
    return (u64)high << 32 | low;
}
FN u64 double_above(u64 x, struct team t) {
    u32 low = team_above((u32)x, t), high = team_above((u32)(x >> 32), t);
    return (u64)high << 32 | low;
}
FN u32 double_below(u32 x, struct team t) {
    return team_below(x, t);
}
#endif

/* ---- products */

/* Columns are sums of the bits of doubles, so they contain constants such as BITS_HIGH. Returns
 * the total of the constants that a column contains between two rows of a product. The column is k
 * digits above the lowest one of this lane (work-item). */
FN u64 column_bits(u32 k) {
    return 2 * BITS_HIGH + (LANE_DIGITS - 1 - k) * ROW_BITS;
}

/* Converts column sums x to digits of magnitude up to 2^51 + 2^10. First subtracts from each sum
 * the constants of doubles that it contains (column_bits); the difference must be below 2^62 in
 * magnitude. Adds each digit's carry to the next digit, but propagates no further. The highest
 * digit of a number has no carry. */
FN void columns_resolve(BOX u64 *to, const u64 *x, struct team t) {
    u64 y[LANE_DIGITS];
    u32 carry;
    EACH_DIGIT(k) y[k] = x[k] - column_bits((u32)k) + DIGIT_HALF + CARRY_BITS;
    carry = double_below((u32)(y[LANE_DIGITS - 1] >> 52), t);
    carry = t.lane == 0 ? CARRY_MIDDLE : carry;
    EACH_DIGIT(k) {
        double digit = digit_of(y[k] & DIGIT_MASK, 0x1p51);
        to[k] = AS_BITS(digit + digit_of(carry, CARRY_MIDDLE));
        carry = (u32)(y[k] >> 52);
    }
}

/* Returns the bits of the digit q for which the lowest 52 bits of x + q m are zero. x is the sum of
 * the number's lowest column, which the lowest lane (work-item) has. The constants in x
 * (column_bits) do not matter, because they are multiples of 2^52. */
FN u64 quotient_bits(u64 x, u64 minv) {
    return double_from(((x * minv + DIGIT_HALF) & DIGIT_MASK) | BITS_LOW, 0);
}

/* Computes a row: adds a b + q m to the columns x, and shifts the columns down by a digit. *high
 * and *low must be product_high and product_low of a[0] b. The function replaces *high and *low by
 * product_high and product_low of a[0] and `next`. These products do not depend on q, so they hide
 * the latency of q. */
FN double doubles_row(u64 *x, u64 *high, u64 *low, const double *a, double b, double next,
                      const double *m, u64 minv, struct team t) {
    u64 h[LANE_DIGITS], l[LANE_DIGITS], bits, top, lowest;
    double q;
    x[0] += *low;
    bits = quotient_bits(x[0], minv);
    EACH_DIGIT(k) h[k] = k ? product_high(a[k], b) : product_high(a[0], next);
    EACH_DIGIT(k) l[k] = k ? product_low(a[k], b, h[k]) : product_low(a[0], next, h[0]);
    EACH_DIGIT(k) if (k) x[k] += l[k] + (k == 1 ? *high : h[k - 1]);
    top = h[LANE_DIGITS - 1];
    *high = h[0], *low = l[0];
    q = AS_DOUBLE(bits) - 0x1.8p52;
    EACH_DIGIT(k) h[k] = product_high(m[k], q);
    EACH_DIGIT(k) l[k] = product_low(m[k], q, h[k]);
    lowest = x[0] + l[0] - LANE_DIGITS * ROW_BITS;
    bits = double_above(lowest, t);
    EACH_DIGIT(k) if (k) x[k - 1] = x[k] + l[k] + h[k - 1];
    x[0] += (u64)(s64)(t.lane == 0 ? (s32)(lowest >> 32) >> 20 : 0);
    x[LANE_DIGITS - 1] = top + h[LANE_DIGITS - 1] + bits;
    return q;
}

/* Computes a = a b / R mod m, R = 2^(52 N), for numbers of N digits in local memory that several
 * work-items share. The result is between -0.6 m and 0.6 m if |a b| is at most m R / 16. Sets b to
 * the quotient q of (a b + q m) / R, which the check needs (doubles_trace.h). minv is -1/m modulo
 * 2^52. */
FN void doubles_product(BOX u64 *box, u64 minv, u32 rows) {
    struct team t = team_of(LOCAL_ID, rows);
    BOX u64 *own = box + t.lane * LANE_DIGITS;
    u64 x[LANE_DIGITS], high, low;
    double a[LANE_DIGITS], m[LANE_DIGITS], b, next, q;
    doubles_meet();
    EACH_DIGIT(k) x[k] = column_bits((u32)k);
    EACH_DIGIT(k) a[k] = AS_DOUBLE(own[BOX_SPAN + k]);
    EACH_DIGIT(k) m[k] = AS_DOUBLE(own[2 * BOX_SPAN + k]);
    next = AS_DOUBLE(box[0]);
    high = product_high(a[0], next);
    low = product_low(a[0], next, high);
    UNROLL_TWO
    for (u32 i = 0; i < rows * 5 / 8; i++) {
        b = next;
        next = AS_DOUBLE(box[i + 1]);
        q = doubles_row(x, &high, &low, a, b, next, m, minv, t);
        if (t.lane == 0)
            box[i] = AS_BITS(q);
    }
    columns_resolve(own + BOX_SPAN, x, t);
    doubles_meet();
}

/* b = a. */
FN void doubles_square(BOX u64 *box, u32 rows) {
    struct team t = team_of(LOCAL_ID, rows);
    BOX u64 *own = box + t.lane * LANE_DIGITS;
    EACH_DIGIT(k) own[k] = own[BOX_SPAN + k];
}

#endif
