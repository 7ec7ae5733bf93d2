/* SPDX-License-Identifier: LGPL-3.0-or-later
 * Ends a floating-point product: rounds the coefficients to integers and adds them up at the places
 * of their digits. Other kernels resolve the carries between groups. Also returns how far
 * coefficients were from integers. */
#include "kernels/fft/sum.h"

#if defined(__OPENCL_VERSION__) && defined(cl_khr_fp64)
#pragma OPENCL EXTENSION cl_khr_fp64 : enable
#endif

#include "kernels/common/balanced_digits.h"
#include "kernels/common/double_bits.h"

#define SPAN_BITS (32 * SPAN)
/* At most this number of digits begin in a work-item's SPAN words: digits have at least 4 bits. */
#define SPAN_DIGITS (SPAN_BITS / 4)
/* 3 2^51: adding it to a double rounds the double to an integer. Adjacent doubles from 2^52 to 2^53
 * are 1 apart, and so are their bits as integers. */
#define ROUNDING 6755399441055744.0
#define SIGN_BIT ((u64)1 << 63)
#define MOST (((u64)1 << SUM_LOG_MOST) - 1)

/* Sets {acc, SUM_ACC_WORDS} to the sum of the coefficients that begin in the SPAN_BITS bits from
 * bit `begin`. Adds `first` to coefficient 0. unweight[k] is 1 divided by the weight of digit k.
 * Sets *worst to the greatest distance of a coefficient from an integer. Sets it to 1 if a
 * coefficient is too large or not a number: the sum is then wrong.
 *
 * The sum is computed word by word. Of the coefficients that begin in the current word, `low`
 * collects the bits in this word, and `high` the higher bits. The next word begins
 * with `low` shifted down by 32 bits, plus `high`. Both stay below 2^56. */
FN void span_of_sum(u32 *acc, GLOBAL const double *x, struct digits d, u64 begin, u64 first,
                    LOCAL const double *unweight, double *worst) {
    const u32 log_offset = SUM_LOG_OFFSET(d.bits + (d.rest > 0));
    const u64 offset = (((u64)1 << d.bits) - 1) << log_offset,
              longer = (u64)1 << d.bits << log_offset;
    u64 k, high = 0, distance = 0;
    struct digit at = digit_from(d, begin, &k);
    const u32 excess = at.excess;
    const u32 count = (u32)(k >= d.length                ? 0
                            : d.length - k < SPAN_DIGITS ? d.length - k
                                                         : SPAN_DIGITS);
    const double own = digit_unweight(d, at);
    u32 bit = (u32)(at.begin - begin), i = 0, is_large = 0;
    u64 low = k == 0 ? first : 0;
    x += k;
    UNROLL
    for (u32 w = 0; w < SUM_ACC_WORDS; w++) {
        for (; w < SPAN && bit < 32 * (w + 1) && i < count; i++) {
            /* digit_after states when the product of two weights is halved */
            const double value = x[i] * (unweight[i] * (at.excess < excess ? 2 * own : own));
            const double sum = value + ROUNDING, rest = value - (sum - ROUNDING);
            const u64 integer = AS_BITS(sum) - AS_BITS(ROUNDING); /* modulo 2^64 */
            const u64 c = integer + offset + (at.width > d.bits ? longer : 0);
            const u64 away = AS_BITS(rest) & ~SIGN_BIT; /* |rest|; its bits ascend with its value */
            distance = distance < away ? away : distance;
            is_large |= integer + MOST > 2 * MOST;
            low += (u32)c << bit % 32;
            high += c >> (32 - bit % 32);
            bit += at.width;
            at = digit_next(d, at);
        }
        acc[w] = (u32)low;
        low = (low >> 32) + high;
        high = 0;
    }
    *worst = is_large ? 1 : AS_DOUBLE(distance);
}

/* Sets worst[0] to the greatest value `mine` of the group's work-items. */
FN void greatest(LOCAL double *worst, double mine) {
    worst[LOCAL_ID] = mine;
    BARRIER();
    for (u32 count = CARRY_THREADS / 2; count > 0; count /= 2) {
        if (LOCAL_ID < count && worst[LOCAL_ID] < worst[LOCAL_ID + count])
            worst[LOCAL_ID] = worst[LOCAL_ID + count];
        BARRIER();
    }
}

/* Adds up the `length` coefficients x to {r + r_at, words}. Coefficient k is divided by its weight,
 * and has its lowest bit where digit k begins; digits have 4 to 24 bits
 * (kernels/common/balanced_digits.h). Adds an offset to each coefficient, to make it positive
 * (sum.h), and `first` to coefficient 0. A group writes CARRY_THREADS - 1 spans: its first
 * work-item only computes what the span below adds to the group's first span. r_at is a multiple of
 * 4. Sets x[length + g] to the greatest distance from an integer in group g. */
KERNEL(CARRY_THREADS)
fft_sum(GLOBAL u32 *r, u64 r_at, u64 words, GLOBAL double *x, u64 length, u32 bits, u32 rest,
        u64 first, GLOBAL u32 *group_flags) {
    LOCAL_ARRAY(u32, out, SUM_OUT_WORDS * CARRY_THREADS);
    LOCAL_ARRAY(u32, flags, CARRY_THREADS);
    LOCAL_ARRAY(u32, rows, 2 * CARRY_ROWS);
    LOCAL_ARRAY(double, worst, CARRY_THREADS);
    LOCAL_ARRAY(double, unweight, SPAN_DIGITS);
    u32 id = LOCAL_ID, acc[SUM_ACC_WORDS], above[SPAN];
    u64 span = (u64)GROUP_X * (CARRY_THREADS - 1) + id; /* counted from 1 */
    double mine = 0;
    const struct digits d = digits_make(bits, rest, length);
    if (id < SPAN_DIGITS)
        unweight[id] = digit_unweight(d, digit_of(d, id));
    BARRIER();
    UNROLL
    for (int i = 0; i < SUM_ACC_WORDS; i++)
        acc[i] = 0;
    if (span > 0)
        span_of_sum(acc, x, d, (span - 1) * SPAN_BITS, first, unweight, &mine);
    UNROLL
    for (int i = 0; i < SUM_OUT_WORDS; i++)
        out[i * CARRY_THREADS + id] = acc[SPAN + i];
    greatest(worst, mine);
    UNROLL
    for (int i = 0; i < SPAN; i++)
        above[i] = i < SUM_OUT_WORDS && id > 0
                       ? out[(i < SUM_OUT_WORDS ? i : 0) * CARRY_THREADS + (id - (id > 0))]
                       : 0u;
    u32 flag = span_add(acc, above);
    u64 at = (span - 1) * SPAN;
    span_finish(r + r_at + at, at < words ? words - at : 0, acc, flag, 1, flags, rows, group_flags);
    if (id == 0)
        x[length + GROUP_X] = worst[0];
}

/* Sets out[out_at] to the greatest of the `count` distances that fft_sum has stored behind the
 * coefficients, in units of 1 / SUM_DOUBT. Only one group runs. */
KERNEL(CARRY_THREADS)
fft_watch(GLOBAL const double *x, u64 length, u32 count, GLOBAL u64 *out, u64 out_at) {
    LOCAL_ARRAY(double, worst, CARRY_THREADS);
    double mine = 0;
    for (u32 g = LOCAL_ID; g < count; g += CARRY_THREADS) {
        double d = x[length + g];
        mine = mine < d ? d : mine;
    }
    greatest(worst, mine);
    if (LOCAL_ID == 0)
        out[out_at] = (u64)(worst[0] * (double)SUM_DOUBT);
}
