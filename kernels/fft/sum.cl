/* SPDX-License-Identifier: LGPL-3.0-or-later
 * The end of a floating-point product: its coefficients, rounded to integers, summed up at steps of
 * `bits` bits, all but the carries between groups; and how far they were from integers. */
#include "kernels/fft/sum.h"

#if defined(__OPENCL_VERSION__) && defined(cl_khr_fp64)
#pragma OPENCL EXTENSION cl_khr_fp64 : enable
#endif

#define SPAN_BITS (32 * SPAN)
#define MOST ((double)((u64)1 << SUM_LOG_MOST))
#define ROUNDING 6755399441055744.0 /* 3 2^51: a sum with it is rounded to the nearest integer */

/* Returns coefficient x rounded to an integer.  Raises *worst to at least the rounding distance, to
 * 1 if there is no such integer. */
FN s64 nearest(double x, double *worst) {
    if (!(x < MOST && x > -MOST)) { /* or x is not a number */
        *worst = 1;
        return 0;
    }
    double whole = (x + ROUNDING) - ROUNDING, distance = x < whole ? whole - x : x - whole;
    *worst = *worst < distance ? distance : *worst;
    return (s64)whole;
}

/* The place in x of the first coefficient that begins at bit `bit` or above.  Quotients are
 * 1 / (2 bits) or more away from integers, far more than they are wrong by. */
FN u64 first_from(u64 bit, u32 bits) {
    return (u64)(((double)(bit + bits - 1) + 0.5) / (double)bits);
}

/* {acc, SUM_ACC_WORDS} = the sum of the coefficients that begin in the SPAN_BITS bits from `begin`
 * on, with `first` added to coefficient 0.  A window of 128 bits moves up over them: its content is
 * below 2^85, and 32 bits leave it at each word. */
FN void span_of_sum(u32 *acc, GLOBAL const double *x, u64 length, u32 bits, u64 begin, u64 first,
                    double *worst) {
    const u64 offset = (((u64)1 << bits) - 1) << SUM_LOG_OFFSET(bits);
    u64 i = first_from(begin, bits), low = 0, high = 0;
    u32 at = (u32)(i * bits - begin);
    UNROLL
    for (u32 w = 0; w < SUM_ACC_WORDS; w++) {
        for (; w < SPAN && at < 32 * (w + 1) && i < length; at += bits, i++) {
            u64 c = offset + (u64)nearest(x[i], worst) + (i == 0 ? first : 0);
            u32 shift = at - 32 * w;
            low += c << shift;
            high += (u64)(low < c << shift) + (c >> 1 >> (63 - shift));
        }
        acc[w] = (u32)low;
        low = low >> 32 | high << 32;
        high >>= 32;
    }
}

/* The greatest of a group's, in worst[0]. */
FN void greatest(LOCAL double *worst, double mine) {
    worst[LOCAL_ID] = mine;
    BARRIER();
    for (u32 count = CARRY_THREADS / 2; count > 0; count /= 2) {
        if (LOCAL_ID < count && worst[LOCAL_ID] < worst[LOCAL_ID + count])
            worst[LOCAL_ID] = worst[LOCAL_ID + count];
        BARRIER();
    }
}

/* {r + r_at, words} = the sum of the coefficients x[i] 2^(i bits), i < length, 4 <= bits <= 24,
 * with what makes them positive and `first`.  1-D over groups that give CARRY_THREADS - 1 spans:
 * their first work-item only computes what reaches in from below.  r_at is a multiple of 4.  Behind
 * the coefficients, x[length + g] becomes the greatest distance from an integer that group g has
 * met. */
KERNEL(CARRY_THREADS)
fft_sum(GLOBAL u32 *r, u64 r_at, u64 words, GLOBAL double *x, u64 length, u32 bits, u64 first,
        GLOBAL u32 *group_flags) {
    LOCAL_ARRAY(u32, out, SUM_OUT_WORDS * CARRY_THREADS);
    LOCAL_ARRAY(u32, flags, CARRY_THREADS);
    LOCAL_ARRAY(u32, rows, 2 * CARRY_ROWS);
    LOCAL_ARRAY(double, worst, CARRY_THREADS);
    u32 id = LOCAL_ID, acc[SUM_ACC_WORDS], above[SPAN];
    u64 span = (u64)GROUP_X * (CARRY_THREADS - 1) + id; /* counted from 1 */
    double mine = 0;
    UNROLL
    for (int i = 0; i < SUM_ACC_WORDS; i++)
        acc[i] = 0;
    if (span > 0)
        span_of_sum(acc, x, length, bits, (span - 1) * SPAN_BITS, first, &mine);
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

/* Behind fft_sum, one group: out[out_at] = the greatest of its `count` distances, in units of
 * 1 / SUM_DOUBT. */
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
