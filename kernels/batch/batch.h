/* SPDX-License-Identifier: LGPL-3.0-or-later
 * Batches: many numbers of the same length, stored one behind the other.  Shared by the host and
 * the kernels.  Words are of 32 bits; a number has an even number of words and begins at an even
 * word. */
#ifndef BATCH_H
#define BATCH_H

#define BATCH_TERMS 8 /* numbers that one launch can sum */

/* batch_sum.cl, batch_check.cl: words of a work-item, for sums and for checks (products count words
 * in pairs), and work-items of a group. */
#define BATCH_CARRIES_LOST 2 /* `borrows` of batch_check_sum: any carries will do */
#define BATCH_SPAN 8
#define BATCH_CHECK_SPAN 16
#define BATCH_THREADS 256

/* batch_mul.cl: blocks of words that are multiplied in registers, and work-items a group, each with
 * two blocks of the result. */
#define BATCH_BLOCK 8
#define BATCH_MUL_THREADS 64

/* expression_row.h: words of a chunk, and the most chunks of a value. */
#define BATCH_CHUNK 64
#define EXPRESSION_CHUNKS 8

/* batch_matrix.cl: work-items a group, a row of 32 for each number. */
#define BATCH_MATRIX_THREADS 128

/* batch_matrix_wide.cl: work-items a group, for one number. */
#define BATCH_WIDE_THREADS 128

/* batch_ntt.cl: 2^10 to 2^13 digits of 64 bits of the product. */
#define BATCH_MIN_LOG 10
#define BATCH_MAX_LOG 13

#endif
