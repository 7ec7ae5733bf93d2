/* SPDX-License-Identifier: LGPL-3.0-or-later
 * Batches: arrays of numbers of the same length. These definitions are shared by the host and the
 * kernels. Words have 32 bits. A number has an even number of words and begins at an even word. */
#ifndef BATCH_H
#define BATCH_H

#define BATCH_TERMS 8 /* the most numbers that one launch can add */

/* batch_sum.cl, batch_check.cl: the words that a work-item adds or checks, and the work-items of a
 * group. BATCH_CARRIES_LOST disables the check of the sums' carries. */
#define BATCH_CARRIES_LOST 2 /* argument `borrows` of the check: accept any carries */
#define BATCH_SPAN 8
#define BATCH_CHECK_SPAN 16
#define BATCH_THREADS 256

/* batch_mul.cl: words of a block, which a work-item multiplies in registers; work-items of a group.
 * Each work-item computes two blocks of the result. */
#define BATCH_BLOCK 8
#define BATCH_MUL_THREADS 64

/* expression_row.h: the words of a chunk, and the most chunks of a number. */
#define BATCH_CHUNK 64
#define EXPRESSION_CHUNKS 8

/* batch_matrix.cl: work-items of a group. Each number has at least one row of 32 work-items. */
#define BATCH_MATRIX_THREADS 128

/* batch_matrix_wide.cl: work-items of a group. A group computes one product. */
#define BATCH_WIDE_THREADS 128

/* batch_ntt.cl: binary logarithm of the number of 64-bit digits of a product. */
#define BATCH_MIN_LOG 10
#define BATCH_MAX_LOG 13

#endif
