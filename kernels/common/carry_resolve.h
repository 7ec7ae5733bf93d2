/* SPDX-License-Identifier: LGPL-3.0-or-later
 * Resolves the carries between groups (kernels/common/carry.h) in the launch that computes the sum:
 * the group that finishes last resolves the carries. On NVIDIA's OpenCL this costs less than a
 * separate launch (kernels/sums/carry.cl). PoCL 3.1 miscompiles this code. */
#ifndef CARRY_RESOLVE_H
#define CARRY_RESOLVE_H

#include "kernels/common/carry.h"

/* The most groups whose carries the last group can resolve: each of its work-items reads one
 * group's flag. */
#define CARRY_SETTLED (CARRY_THREADS - 1)

#if defined(LOCAL_ID)
/* Returns the index of the first work-item whose `stop` is set; CARRY_THREADS if none is set.
 * Overwrites the second word of each row in `rows`. */
FN u32 first_in_rows(u32 stop, LOCAL u32 *stops, LOCAL u32 *rows) {
    u32 first = CARRY_THREADS;
    stops[LOCAL_ID] = stop;
    BARRIER();
    if (LOCAL_ID < CARRY_ROWS) {
        u32 row = 0;
        for (u32 k = 0; k < 32; k++)
            row |= stops[32 * LOCAL_ID + k] << k;
        rows[2 * LOCAL_ID + 1] = row;
    }
    BARRIER();
    for (u32 i = CARRY_ROWS; i-- > 0;) {
        u32 row = rows[2 * i + 1];
        if (row)
            first = 32 * i + 31 - LEADING_ZEROS32(row & (0u - row));
    }
    return first;
}

/* Adds 1 to the number in words [begin, end) of r, up to the first word that is not all ones. r +
 * begin must be aligned to 4 words. Not inlined, because nvcc 13.0 would spill registers in the
 * kernel crt. */
NOINLINE void chunk_increment_far(GLOBAL u32 *r, u64 begin, u64 end, LOCAL u32 *stops,
                                  LOCAL u32 *rows) {
    for (u64 at = begin, going = 1; at < end && going; at += CARRY_CHUNK) {
        u64 i = at + SPAN * LOCAL_ID, left = i < end ? end - i : 0;
        u32 x[SPAN], ones = ~0u, first;
        span_load(x, r + i, left, 1, 0u);
        UNROLL
        for (int k = 0; k < SPAN; k++)
            ones &= x[k];
        first = first_in_rows((u32)(ones != ~0u), stops, rows);
        if (LOCAL_ID <= first) {
            span_increment(x, 1);
            span_store(r + i, left, x);
        }
        going = first == CARRY_THREADS;
    }
}

/* Adds 1 to {r, words}, at most SPAN words; r is aligned to 4 words.  Returns the carry out. */
NOINLINE u32 span_increment_near(GLOBAL u32 *r, u64 words) {
    u32 x[SPAN], ones = ~0u;
    span_load(x, r, words, 1, 0u);
    UNROLL
    for (int k = 0; k < SPAN; k++)
        ones &= x[k];
    span_increment(x, 1);
    span_store(r, words, x);
    return (u32)(ones == ~0u);
}

/* Returns 1 if this group is the launch's last one to call this function. The group then sees all
 * memory that other groups have written. Otherwise, or if `counted` is 0, returns 0. *control must
 * be 0 before the launch, and is 0 after the launch. */
FN u32 comes_last(GLOBAL u32 *control, u32 counted, LOCAL u32 *scratch) {
    if (counted)
        FENCE_DEVICE();
    BARRIER();
    if (LOCAL_ID == 0) {
        scratch[0] = counted && ATOMIC_INCREMENT(control) == GROUPS_X - 1;
        if (scratch[0])
            *control = 0; /* so that the next launch counts from 0 again */
    }
    BARRIER();
    if (counted)
        FENCE_DEVICE();
    return scratch[0];
}

/* Resolves the carries between the chunks of {r, words}, in the launch's last group that calls this
 * function. Each group has a chunk of `chunk` words and one flag. There are at most CARRY_SETTLED
 * groups. Sets group_flags[GROUPS_X] to the carry out of r. Does nothing if `resolves` is 0.
 * flags[CARRY_THREADS] and rows[2 * CARRY_ROWS] are scratch. */
FN void carry_resolve(GLOBAL u32 *r, u64 words, u32 chunk, GLOBAL u32 *group_flags,
                      GLOBAL u32 *control, u32 resolves, LOCAL u32 *flags, LOCAL u32 *rows) {
/* Among OpenCL's implementations, only NVIDIA's resolves the carries in this way. */
#if !defined(__OPENCL_VERSION__) || defined(__NV_CL_C_VERSION)
#if defined(__CUDACC__) || defined(__NV_CL_C_VERSION)
    if (!resolves)
        return;
#endif
    u32 id = LOCAL_ID, count = comes_last(control, resolves, flags) ? GROUPS_X : 0u, unused;
    u64 begin = (u64)id * chunk, end = begin + chunk < words ? begin + chunk : words;
    /* Waits until all work-items have read the result of comes_last in `flags`, which group_carry
     * overwrites. */
    BARRIER();
    u32 going = group_carry(id < count ? group_flags[id] : 0u, 0, flags, rows, &unused);
    if (count > 0 && id == count)
        group_flags[count] = going;
    going &= (u32)(id < count && begin < end);
    if (going)
        going = span_increment_near(r + begin, end - begin);
    /* Waits until all work-items have read `rows`, which carry_rows overwrites. */
    BARRIER();
    carry_rows(going & (u32)(begin + SPAN < end), flags, rows);
    for (u32 row = 0; row < CARRY_ROWS; row++)
        for (u32 left = rows[2 * row]; left; left &= left - 1) {
            u64 from = (u64)(32 * row + 31 - LEADING_ZEROS32(left & (0u - left))) * chunk;
            u64 to = from + chunk < words ? from + chunk : words;
            chunk_increment_far(r, from + SPAN, to, flags, rows);
        }
#endif
}
#endif

#endif
