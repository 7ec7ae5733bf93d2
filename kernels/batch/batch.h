/* SPDX-License-Identifier: LGPL-3.0-or-later
 * Batches: arrays of numbers of the same length. These definitions are shared by the host and the
 * kernels. Words have 32 bits. A number has an even number of words and begins at an even word. */
#ifndef BATCH_H
#define BATCH_H

#define BATCH_TERMS 8 /* the most numbers that one launch can add */

/* For batch_sum.cl and batch_check.cl. BATCH_CARRIES_LOST: value of the check's argument `borrows`
 * if the sums' carries are not checked. BATCH_SPAN, BATCH_CHECK_SPAN: the words that a work-item
 * adds, or checks. */
#define BATCH_CARRIES_LOST 2
#define BATCH_SPAN 8
#define BATCH_CHECK_SPAN 16
#define BATCH_THREADS 256

/* For batch_mul.cl. BATCH_BLOCK: the words of a block, which a work-item multiplies in
 * registers; each work-item computes two blocks of the result. BATCH_MUL_THREADS: the work-items
 * of a group. */
#define BATCH_BLOCK 8
#define BATCH_MUL_THREADS 64

/* For expression_row.h. A number consists of chunks of BATCH_CHUNK words, at most EXPRESSION_CHUNKS
 * of them. */
#define BATCH_CHUNK 64
#define EXPRESSION_CHUNKS 8

/* For batch_matrix.cl: work-items of a group. At least one row of 32 work-items multiplies each
 * pair of numbers. */
#define BATCH_MATRIX_THREADS 128

/* For batch_matrix_wide.cl: work-items of a group. A group computes one product. */
#define BATCH_WIDE_THREADS 128

/* For batch_ntt.cl: binary logarithm of the number of 64-bit digits of the shortest product. */
#define BATCH_MIN_LOG 10
#define BATCH_MAX_LOG 13

#endif
