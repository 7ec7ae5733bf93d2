/* SPDX-License-Identifier: LGPL-3.0-or-later
 * Computes a product P < B^(2n), B = 2^32, from its halves a = P modulo B^n - 1 and b = P modulo
 * B^n + 1.
 *
 * P is b + (B^n + 1) h, and 2 h = a - b + k (B^n - 1). Here k is 1 if a + b is odd. Otherwise k is
 * 2 if a < b, and 0 if not. So 2 P = (a + b - k) + B^n (a - b) + k B^(2n). The lower half of P is
 * the sum a + b, the upper half the difference a - b, each shifted down by a bit. The bit shifted
 * in at the top is the carry or borrow, inverted if k is 1. It equals bit 0 of an additional word
 * above, computed from the first words again. At most one correction remains: if k is 2, subtract 1
 * from the lower half of P; if k is 1, add a carry of a + b to the upper half.
 *
 * The difference is computed as the complement of ~a + b, whose carries are its borrows. There are
 * three launches: halves_join computes the halves without carries between chunks, halves_carry
 * resolves these carries, halves_end makes the correction. */
#include "kernels/common/carry_below.h"
#include "kernels/sums/halves.h"

/* A bit that is added to a chunk's flag if the chunk's sum is odd, unless the flag is
 * CARRY_PROPAGATE. (Then all bits of the sum are ones, so it is odd, too.) */
#define HALVES_ODD 4u
#define IS_ODD(flag) ((flag) > 1)

FN u64 left_behind(u64 words, u64 at) {
    return at < words ? words - at : 0;
}

/* Adds {x, SPAN} and {y, SPAN}, shifts the sum down by a bit, inverts the bits that are set in
 * `change`, and stores it in {r, words}. `above` is bit 0 of the word above the sum, without the
 * carry into that word. */
FN void turn_down(GLOBAL u32 *r, u64 words, u32 *x, const u32 *y, u32 above, u32 change,
                  LOCAL u32 *flags, LOCAL u32 *rows, GLOBAL u32 *chunk_flag) {
    u32 odd = (x[0] ^ y[0]) & 1u, chunk, flag = span_add(x, y);
    u32 in = group_carry(flag, 0, flags, rows, &chunk);
    u32 top = above ^ (flag & CARRY_GENERATE) ^ (flag >> 1 & in);
    span_increment(x, in);
    if (LOCAL_ID == 0)
        *chunk_flag = chunk | (chunk == CARRY_PROPAGATE ? 0u : HALVES_ODD * odd);
    UNROLL
    for (int i = 0; i < SPAN - 1; i++)
        x[i] = (x[i] >> 1 | x[i + 1] << 31) ^ change;
    x[SPAN - 1] = (x[SPAN - 1] >> 1 | top << 31) ^ change;
    span_store(r, words, x);
}

/* Sets {r, words} to the product P of the file's first comment, from the halves {a, n} and {b,
 * n}, without carries between chunks. n is a multiple of CARRY_CHUNK. Words of P above {r, words}
 * are not stored. A group computes one chunk of the lower half of P, and the same chunk of its
 * upper half. The first group computes chunk `first`.
 *
 * The kernel also reads the word of a and b above the last chunk; if that is word n, it reads
 * word 0 instead. The offsets are multiples of 4 words. chunk_flags has the flags of the chunks
 * of a + b, room for one more, then those of a - b, and room for one more. */
KERNEL_DENSE(CARRY_THREADS, 5)
halves_join(GLOBAL u32 *RESTRICT r, u64 r_at, u64 words, GLOBAL const u32 *RESTRICT a, u64 a_at,
            GLOBAL const u32 *RESTRICT b, u64 b_at, u64 n, u64 first, GLOBAL u32 *chunk_flags) {
    LOCAL_ARRAY(u32, flags, CARRY_THREADS);
    LOCAL_ARRAY(u32, rows, 2 * CARRY_ROWS);
    u64 chunk = first + GROUP_X, at = (chunk * CARRY_THREADS + LOCAL_ID) * SPAN;
    u64 above = at + SPAN < n ? at + SPAN : 0;
    u32 x[SPAN], y[SPAN], sum[SPAN], bit = (a[a_at + above] ^ b[b_at + above]) & 1u;
    span_load(x, a + a_at + at, SPAN, 1, 0u);
    span_load(y, b + b_at + at, SPAN, 1, 0u);
    UNROLL
    for (int i = 0; i < SPAN; i++) {
        sum[i] = x[i];
        x[i] = ~x[i];
    }
    turn_down(r + r_at + at, left_behind(words, at), sum, y, bit, 0, flags, rows,
              chunk_flags + chunk);
    turn_down(r + r_at + n + at, left_behind(words, n + at), x, y, bit ^ 1u, ~0u, flags, rows,
              chunk_flags + n / CARRY_CHUNK + 1 + chunk);
}

/* A group adds 1 to the chunk at r, which has `left` words. Memory has each word of the chunk
 * XORed with `change`. If first_done is set, word 0 was all ones, and a work-item has already
 * added the 1 to it. Returns true if all words were ones. */
FN u32 chunk_increment(GLOBAL u32 *r, u64 left, u32 change, u32 first_done, LOCAL u32 *stops) {
    u64 i = (u64)SPAN * LOCAL_ID;
    u32 x[SPAN], ones = ~0u;
    left = left_behind(left, i);
    span_load(x, r + i, left, 1, ~change);
    UNROLL
    for (int k = 0; k < SPAN; k++)
        x[k] ^= change;
    if (first_done && LOCAL_ID == 0)
        x[0] = ~0u;
    UNROLL
    for (int k = 0; k < SPAN; k++)
        ones &= x[k];
    u32 first = first_stop(stops, (u32)(ones != ~0u));
    span_increment(x, 1);
    UNROLL
    for (int k = 0; k < SPAN; k++)
        x[k] ^= change;
    if (LOCAL_ID <= first)
        span_store(r + i, left, x);
    return first == CARRY_THREADS;
}

/* Returns the first chunk from k on whose carry leaves its first word; HALVES_CHUNKS if there is
 * none. The caller's loop over these chunks has barriers. PoCL 3.1 computed wrong words when that
 * loop contained the condition instead. */
FN u32 next_far(LOCAL const u32 *far, u32 k) {
    while (k < HALVES_CHUNKS && !far[k])
        k++;
    return k;
}

/* Completes sums in chunks, which were computed without the carries between chunks, and then
 * shifted down by a bit: adds the carry into each chunk. Groups along x take chunks; groups along y
 * take the two halves of the product.
 *
 * Because of the shift, a carry changes a chunk's words only if the chunk's sum was odd. One
 * work-item updates the first word of a chunk. If the carry goes further, the whole group updates
 * the rest. The carry out of the last chunk is stored behind the chunks' flags. */
KERNEL(CARRY_THREADS)
halves_carry(GLOBAL u32 *r, u64 r_at, u64 words, u64 n, GLOBAL u32 *chunk_flags) {
    LOCAL_ARRAY(u32, stops, CARRY_THREADS);
    LOCAL_ARRAY(u32, rows, 2 * CARRY_ROWS);
    LOCAL_ARRAY(u32, far, HALVES_CHUNKS);
    u32 chunks = (u32)(n / CARRY_CHUNK), chunk = GROUP_X * HALVES_CHUNKS + LOCAL_ID, unused;
    u32 is_mine = LOCAL_ID < HALVES_CHUNKS && chunk < chunks, change = GROUP_Y ? ~0u : 0u;
    GLOBAL u32 *own = chunk_flags + GROUP_Y * (chunks + 1);
    u32 flag = is_mine ? own[chunk] : 0u;
    u32 carry = carry_from_below(own, GROUP_X * HALVES_CHUNKS, stops);
    carry_rows(flag & (CARRY_GENERATE | CARRY_PROPAGATE), stops, rows);
    u32 in = carry_in_group(rows, 0, carry, &unused), x = 1;
    u64 at = GROUP_Y * n + (u64)chunk * CARRY_CHUNK;
    if (is_mine && in && IS_ODD(flag) && at < words) {
        x = (r[r_at + at] ^ change) + 1;
        r[r_at + at] = x ^ change;
    }
    if (LOCAL_ID < HALVES_CHUNKS)
        far[LOCAL_ID] = x == 0;
    if (is_mine && chunk + 1 == chunks)
        own[chunks] = (flag & CARRY_GENERATE) | (flag >> 1 & in);
    BARRIER_GLOBAL(); /* below, the group stores the first words of chunks again */
    for (u32 k = next_far(far, 0); k < HALVES_CHUNKS; k = next_far(far, k + 1)) {
        u64 begin = GROUP_Y * n + (u64)(GROUP_X * HALVES_CHUNKS + k) * CARRY_CHUNK;
        chunk_increment(r + r_at + begin, left_behind(words, begin), change, 1, stops);
    }
}

/* Corrects P by 1 in the last launch, with one group. The file's first comment defines k. If k is
 * 2, subtracts 1 from the lower half, by inverting its words; if k is 1, adds a carry to the upper
 * half. */
KERNEL(CARRY_THREADS)
halves_end(GLOBAL u32 *r, u64 r_at, u64 words, u64 n, GLOBAL const u32 *chunk_flags) {
    LOCAL_ARRAY(u32, stops, CARRY_THREADS);
    u64 chunks = n / CARRY_CHUNK;
    u32 odd = IS_ODD(chunk_flags[0]), change = odd ? 0u : ~0u;
    u32 going = chunk_flags[odd ? chunks : 2 * chunks + 1];
    u64 begin = odd ? n : 0, end = odd || words < n ? words : n;
    for (u64 at = begin; going && at < end; at += CARRY_CHUNK)
        going = chunk_increment(r + r_at + at, end - at, change, 0, stops);
}
