/* SPDX-License-Identifier: LGPL-3.0-or-later
 * Multiplies numbers in the registers of a row of 32 work-items with matrix units. Numbers consist
 * of chunks of 64 words, of which work-item i has words 2 i and 2 i + 1.
 *
 * Digits are bytes. The products of these matrices are added up:
 * - A(x), 16 by 32 bytes: place (i, k) is digit 16 x + i - k of u, or 0 if u has no such digit.
 * - B(y), 32 by 8 bytes: place (k, n) is digit 32 (n + y) + k of v.
 *
 * Place (i, n) of A(2 j) B(y) contributes to digit 32 (n + y + j) + i of the product. Place (i,
 * n) of A(2 j + 1) B(y) contributes to the digit 16 higher. A chunk of the product has 8 columns
 * of 32 digits. Chunk c is the sum of A(2 j) B(8 c - j) and A(2 j + 1) B(8 c - j) over all j. In
 * one step, all chunks use the same A.
 *
 * The rows of A are in the order 0 to 3, 8 to 11, 4 to 7, 12 to 15, so that a work-item ends up
 * with two adjacent words. The right half of A(x + 1) is the left half of A(x).
 *
 * A digit of the product is a sum of products below 2^16, one for each digit of u. */
#ifndef MATRIX_CHUNKS_H
#define MATRIX_CHUNKS_H

#include "kernels/batch/batch.h"
#include "kernels/batch/batch_row.h"
#include "kernels/common/matrix.h"

#define ROW 32
#define CHUNK BATCH_CHUNK
#define CHUNKS(words) (((words) + CHUNK - 1) / CHUNK)
#define CHUNKS_UNROLLED 2 /* the most chunks for which all steps are unrolled */
/* The operands in local memory. u is stored as four copies, shifted by one digit each, so that
 * any four adjacent digits are one word of a copy. Word f of copy c has digits 4 f + c - 3 to 4 f
 * + c of u, with the highest digit in the lowest byte. v is stored in slices of eight words.
 * Zeros precede both operands. For full products, zeros also follow them. */
#define COPY_BELOW 8
#define COPY_WORDS(chunks, in_full) (CHUNK * (chunks) + COPY_BELOW + ((in_full) ? 16 : 0))
#define SLICE 12
#define SLICES_WORDS(chunks, in_full) (SLICE * 8 * ((chunks) + ((in_full) ? 2 : 1)))

#if defined(MATRIX_UNITS)

/* Write the zeros below the operands. One call serves all operands that are stored there later. */
FN void clear_copies(LOCAL u32 *copies, u32 stride, u32 lane) {
    copies[lane / 8 * stride + lane % 8] = 0;
}
FN void clear_slices(LOCAL u32 *slices, u32 lane) {
    LOCAL u32 *to = slices + lane / 4 * SLICE + lane % 4 * 2;
    STORE2_TO(LOCAL, to, 0u, 0u);
}

/* Stores the first factor u in local memory, as four copies (COPY_BELOW). This work-item has its
 * words of u in {x, 2 chunks}. */
FN void put_copies(LOCAL u32 *copies, u32 stride, const u32 *x, u32 chunks, u32 in_full, u32 lane) {
    LOCAL u32 *to = copies + COPY_BELOW + 2 * lane;
    u32 before = 0;
    UNROLL
    for (u32 i = 0; i < chunks; i++) {
        u32 turned = shuffle_from(x[2 * i + 1], (lane + ROW - 1) % ROW, ROW);
        u32 below = lane ? turned : before;
        before = turned;
        UNROLL
        for (u32 c = 0; c < 4; c++)
            STORE2_TO(LOCAL, to + c * stride + CHUNK * i,
                      bytes_of(below, x[2 * i], 0x1234u + c * 0x1111u),
                      bytes_of(x[2 * i], x[2 * i + 1], 0x1234u + c * 0x1111u));
    }
    if (in_full) {
        u32 last = shuffle_from(before, 0, ROW), c = lane / 8;
        copies[c * stride + COPY_BELOW + CHUNK * chunks + lane % 8] =
            lane % 8 ? 0u : bytes_of(last, 0u, 0x1234u + c * 0x1111u);
    }
}

/* Stores {x, 2 chunks} in local memory as the slices of the second factor v. */
FN void put_slices(LOCAL u32 *slices, const u32 *x, u32 chunks, u32 in_full, u32 lane) {
    LOCAL u32 *to = slices + (8 + lane / 4) * SLICE + lane % 4 * 2;
    UNROLL
    for (u32 i = 0; i < chunks; i++)
        STORE2_TO(LOCAL, to + 8 * SLICE * i, x[2 * i], x[2 * i + 1]);
    if (in_full)
        clear_slices(slices + (8 + 8 * chunks) * SLICE, lane);
}

/* Performs step j: adds A(2 j) B(8 d - j) and A(2 j + 1) B(8 d - j) to the sums of chunk d, for
 * each d below `chunks`. The file's first comment defines the matrices A and B. `copy` points to
 * the left halves of A(2 j) and A(2 j + 1), and `slice` to B(-j). The last two words of {a, 4} must
 * have the right half of A(2 j), as the step before has left them. */
FN void multiply_step(u32 (*sums)[8], u32 *a, LOCAL const u32 *copy, LOCAL const u32 *slice,
                      u32 chunks) {
    a[0] = copy[0];
    a[1] = copy[1];
    UNROLL
    for (u32 d = 0; d < chunks; d++) {
        u32 b[2] = {slice[8 * SLICE * d], slice[8 * SLICE * d + 4]};
        matrix_multiply_add(sums[d], a, b);
    }
    a[2] = copy[4];
    a[3] = copy[5];
    UNROLL
    for (u32 d = 0; d < chunks; d++) {
        u32 b[2] = {slice[8 * SLICE * d + 4], slice[8 * SLICE * d]};
        matrix_multiply_add(sums[d] + 4, a, b);
    }
}

/* Performs steps j to j + 3 of the sums of products (multiply_step). `copy` and `slice` are the
 * arguments of multiply_step for step j. */
FN void multiply_steps(u32 (*sums)[8], u32 *a, LOCAL const u32 *copy, LOCAL const u32 *slice,
                       u32 chunks) {
    UNROLL
    for (u32 j = 0; j < 4; j++)
        multiply_step(sums, a, copy + 8 * j, slice - SLICE * j, chunks);
}

/* Computes the sums of result_chunks chunks of the product of two operands of `chunks` chunks.
 * Loops stay rolled for long operands, because unrolled ones would not fit the instruction
 * cache. */
FN void multiply_chunks(u32 (*sums)[8], LOCAL const u32 *copies, u32 stride,
                        LOCAL const u32 *slices, u32 chunks, u32 result_chunks, u32 lane) {
    LOCAL const u32 *copy = copies + lane / 4 % 4 * stride + COPY_BELOW + lane / 16 * 2 - lane % 4;
    LOCAL const u32 *slice = slices + (8 + lane / 4) * SLICE + lane % 4;
    u32 a[4] = {0, 0, 0, 0}, most = result_chunks > chunks ? chunks + 1 : chunks;
    UNROLL
    for (u32 c = 0; c < result_chunks; c++) {
        UNROLL
        for (u32 i = 0; i < 8; i++)
            sums[c][i] = 0;
    }
    UNROLL
    for (u32 k = 0; k < chunks; k++) {
        LOCAL const u32 *from = copy + CHUNK * k;
        u32 some = result_chunks - k < most ? result_chunks - k : most;
        if (chunks <= CHUNKS_UNROLLED) {
            multiply_steps(sums + k, a, from, slice, some);
            multiply_steps(sums + k, a, from + CHUNK / 2, slice - 4 * SLICE, some);
        } else {
            ROLLED
            for (u32 part = 0; part < 2; part++)
                multiply_steps(sums + k, a, from + CHUNK / 2 * part, slice - 4 * SLICE * part,
                               some);
        }
    }
    if (result_chunks > chunks)
        multiply_step(sums + chunks, a, copy + CHUNK * chunks, slice, result_chunks - chunks);
}

FN void exchange_if(u32 is_true, u32 *x, u32 *y) {
    u32 z = *x;
    *x = is_true ? *y : z;
    *y = is_true ? z : *y;
}

/* Converts the row's sums of a chunk's digits to this work-item's words {x, 2}. Returns the excess
 * of the sum above these two words. */
FN u32 take_words(u32 *x, const u32 *sums, u32 lane) {
    u32 y[4][2], have = lane / 4 % 4, want = lane / 2 % 4;
    u32 from = lane % 2 * 16 + want * 4 + lane / 8;
    u64 t[2] = {0, 0};
    UNROLL
    for (u32 r = 0; r < 2; r++) {
        UNROLL
        for (u32 q = 0; q < 4; q++)
            y[q][r] = sums[4 * (q % 2) + 2 * r + q / 2];
        exchange_if(have & 1, &y[0][r], &y[1][r]);
        exchange_if(have & 1, &y[2][r], &y[3][r]);
        exchange_if(have & 2, &y[0][r], &y[2][r]);
        exchange_if(have & 2, &y[1][r], &y[3][r]);
    }
    UNROLL
    for (u32 k = 0; k < 4; k++) {
        u32 weight = 1u << 8 * (want ^ k);
        UNROLL
        for (u32 r = 0; r < 2; r++)
            t[r] += (u64)shuffle_from(y[k][r], from ^ 4 * k, ROW) * weight;
    }
    t[1] += t[0] >> 32;
    x[0] = (u32)t[0];
    x[1] = (u32)t[1];
    return (u32)(t[1] >> 32);
}

/* Resolves the carries of the number {x, 2 chunks}, which a row of work-items holds, two words
 * for each chunk and work-item. over[i] is the excess of this work-item's words of chunk i
 * (take_words), below 2^31; it is added to the words above. `begin` is added to word 0 of the
 * number. */
FN void resolve_chunks(u32 *x, const u32 *over, u32 begin, u32 chunks, u32 lane) {
    u32 carry = 0, before = begin;
    UNROLL
    for (u32 i = 0; i < chunks; i++) {
        u32 turned = shuffle_from(over[i], (lane + ROW - 1) % ROW, ROW);
        u64 low = (u64)x[2 * i] + (lane ? turned : before), high = (low >> 32) + x[2 * i + 1];
        u32 p = ROW_BALLOT(((u32)low & (u32)high) == ~0u);
        u64 entering = (u64)ROW_BALLOT((u32)(high >> 32)) << 1 | carry, sum = p + entering;
        u32 in = ((u32)sum ^ p) >> lane & 1u;
        before = turned;
        carry = (u32)(sum >> 32);
        x[2 * i] = (u32)low + in;
        x[2 * i + 1] = (u32)high + (in & (u32)((u32)low == ~0u));
    }
}

#endif

#endif
