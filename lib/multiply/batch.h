/* SPDX-License-Identifier: LGPL-3.0-or-later
 * Operations on batches, on the device. A batch has `count` numbers of `words` words each, one
 * after the other; `words` is even. An operation is applied to all numbers at once
 * (doc/design/batch.md). */
#ifndef MPGPU_BATCH_H
#define MPGPU_BATCH_H

#include "kernels/batch/batch.h"
#include "lib/device/context.h"

/* The most words of a number: BATCH_MOST_WORDS for products, BATCH_MOST_SUM_WORDS for sums. */
enum { BATCH_MOST_WORDS = 1 << BATCH_MAX_LOG, BATCH_MOST_SUM_WORDS = 4 * BATCH_MOST_WORDS };

/* An operation on each number of a batch. r overlaps no term.
 *
 * - BATCH_SUM: r is the sum of the terms, where terms in the bit mask `negated` are subtracted.
 *   `carries` gets a limb for each number: the signed limb above r, negated if `borrows` is set.
 *   carries.h = 0 means that no limbs are stored.
 * - BATCH_PRODUCT: r = term[0] term[1], of twice `words` words.
 * - BATCH_LOW: r is the lowest `words` words of this product.
 * - BATCH_RESIZE: r is term[0], truncated to result_words words or extended by zeros. */
struct batch_operation {
    enum batch_kind { BATCH_SUM, BATCH_PRODUCT, BATCH_LOW, BATCH_RESIZE } kind;
    int borrows;
    uint64_t count;
    uint32_t words, result_words; /* result_words for BATCH_RESIZE */
    unsigned terms, negated;
    gpu_mem r, carries, term[BATCH_TERMS];
};

/* Allocates the device memory that the kernels of an operation need. Call it before
 * batch_compute. */
enum gpu_status batch_prepare(struct context *s, const struct batch_operation *op);

/* Queues the launches of an operation, without a check. */
enum gpu_status batch_compute(struct context *s, const struct batch_operation *op);

/* Computes an operation, checks it if `verify` is `device`, and waits for the device. Returns
 * GPU_FAILED if the check finds a wrong number. The caller must have tested the kernels with known
 * answers (lib/selftest/selftest.h). */
enum gpu_status batch_operate(struct context *s, const struct batch_operation *op);

/* The argument of batch_multiply: products of numbers of `words` words, of which the lowest
 * result_words words are stored. Numbers begin at words r_at, u_at, v_at of their buffers. u_step
 * and v_step are the distances in words from one number to the next; 0 means `words`. If `words` is
 * a multiple of 4, these distances are, too; otherwise they are even. If v_is_one, all products
 * share one v. Words of the result below word `from`, and the carry from them, need not be
 * computed. If u and v are the same words of the same buffer, squares are computed. */
struct batch_product {
    gpu_mem r, u, v;
    uint64_t count;
    uint32_t words, result_words;
    uint64_t r_at, u_at, v_at;
    uint32_t u_step, v_step, from;
    bool v_is_one;
};
enum gpu_status batch_multiply(struct context *s, const struct batch_product *p);

/* batch_program returns the program that multiplies numbers of `words` words on this device: by
 * blocks, matrix units or transforms. batch_program_words returns a number length with which a test
 * exercises all code of a program. */
enum gpu_program batch_program(const struct gpu_caps *caps, uint32_t words, uint32_t result_words);
uint32_t batch_program_words(const struct gpu_caps *caps, enum gpu_program program);

/* Return properties of a program. batch_is_transform: whether it uses transforms.
 * batch_is_matrices: whether it uses matrix units. batch_is_wide: whether it uses matrix units and
 * a work-group for each number. batch_log: the binary logarithm of the transform's length for
 * numbers of `words` words. batch_matrix_words: the most words of a number that a program with
 * matrix units accepts. */
bool batch_is_transform(enum gpu_program program);
bool batch_is_matrices(enum gpu_program program);
bool batch_is_wide(enum gpu_program program);
unsigned batch_log(uint32_t words);
/* the least number that batch_matrix_words returns */
enum { BATCH_SHORT_WORDS = 64 };
unsigned batch_matrix_words(enum gpu_program program);

/* Allocates memory for the check of an operation. Call it before the operation. If a sum has no
 * memory for carries, also allocates memory for these. */
enum gpu_status batch_check_prepare(struct context *s, struct batch_operation *op);

/* Queues the check of an operation. Call it after the operation, between verdict_begin and
 * verdict_end (lib/device/verdict.h), once or for several operations. The check reads operands,
 * result and carries from device memory; a sum's carries may be absent. */
enum gpu_status batch_check_add(struct context *s, const struct batch_operation *op);

/* Sums of products, for each number of a batch. r is the sum of the low products u[k] v[k], of
 * which there are 1 or 2, and of terms. There are at most BATCH_TERMS products and terms together.
 * All numbers have `words` words, at most BATCH_LOW_SUM_WORDS. Products in the bit mask `negatives`
 * and terms in the bit mask `negated` are subtracted. */
enum { BATCH_LOW_SUM_PRODUCTS = 2, BATCH_LOW_SUM_WORDS = 512 };
struct batch_low_sum {
    uint64_t count;
    uint32_t words;
    unsigned products, negatives, terms, negated;
    gpu_mem r, u[BATCH_LOW_SUM_PRODUCTS], v[BATCH_LOW_SUM_PRODUCTS], term[BATCH_TERMS];
};

/* Queues the check of sums of products; it needs only the sums, not the single products. Call
 * batch_check_prepare for a BATCH_LOW first. */
enum gpu_status batch_check_low_sum(struct context *s, const struct batch_low_sum *sum);

#endif
