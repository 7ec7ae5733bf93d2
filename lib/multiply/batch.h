/* SPDX-License-Identifier: LGPL-3.0-or-later
 * Batches on the device: `count` numbers of `words` words each, one after the other, `words` even.
 * One operation is applied to all of them at once (doc/design/batch.md). */
#ifndef MPGPU_BATCH_H
#define MPGPU_BATCH_H

#include "kernels/batch/batch.h"
#include "lib/device/context.h"

/* The longest numbers of products and of sums, in words. */
enum { BATCH_MOST_WORDS = 1 << BATCH_MAX_LOG, BATCH_MOST_SUM_WORDS = 4 * BATCH_MOST_WORDS };

/* BATCH_SUM: r = the sum of the terms; terms in the mask `negated` are subtracted. `carries` has
 * one limb for each number, the signed limb above r, or its negative if `borrows`; none if its h is
 * 0.
 * BATCH_PRODUCT: r, of twice `words`, = term[0] term[1].
 * BATCH_LOW: the low words of that.
 * BATCH_RESIZE: r, of result_words, = term[0], cut or with leading zeros.
 * r overlaps no term. */
struct batch_operation {
    enum batch_kind { BATCH_SUM, BATCH_PRODUCT, BATCH_LOW, BATCH_RESIZE } kind;
    int borrows;
    uint64_t count;
    uint32_t words, result_words; /* result_words for BATCH_RESIZE */
    unsigned terms, negated;
    gpu_mem r, carries, term[BATCH_TERMS];
};

/* Allocates what the kernels need on the device. Call it before batch_compute. */
enum gpu_status batch_prepare(struct context *s, const struct batch_operation *op);

/* Queues the operation, without a check. */
enum gpu_status batch_compute(struct context *s, const struct batch_operation *op);

/* Prepares and computes, after known-answer tests (lib/selftest/selftest.h). Checks as `verify`
 * says, and waits. Returns GPU_FAILED if a number is wrong. */
enum gpu_status batch_operate(struct context *s, const struct batch_operation *op);

/* The products of batch_compute: `words` words to result_words words. Numbers begin at words r_at,
 * u_at, v_at of their buffers. u_step and v_step are the words from one number to the next, 0 for
 * `words`: multiples of 4 if `words` is one, otherwise even. v may be one number for all. Words of
 * the result below `from` may be left out, and also the carry from them. A square if u and v are
 * the same words of the same buffer. */
struct batch_product {
    gpu_mem r, u, v;
    uint64_t count;
    uint32_t words, result_words;
    uint64_t r_at, u_at, v_at;
    uint32_t u_step, v_step, from;
    bool v_is_one;
};
enum gpu_status batch_multiply(struct context *s, const struct batch_product *p);

/* batch_program returns the program for such products on such a device: by blocks, matrix units or
 * transforms. batch_program_words returns a length of numbers that exercises the whole program. */
enum gpu_program batch_program(const struct gpu_caps *caps, uint32_t words, uint32_t result_words);
uint32_t batch_program_words(const struct gpu_caps *caps, enum gpu_program program);

/* Return whether a program uses transforms, uses matrix units, or uses matrix units with a group
 * for each number; the logarithm of a transform's length for such numbers; and WORDS of a program
 * with matrix units. */
bool batch_is_transform(enum gpu_program program);
bool batch_is_matrices(enum gpu_program program);
bool batch_is_wide(enum gpu_program program);
unsigned batch_log(uint32_t words);
enum { BATCH_SHORT_WORDS = 64 }; /* the least */
unsigned batch_matrix_words(enum gpu_program program);

/* The check. Allocates its memory before the operation, and memory for the carries of a sum that
 * has none. */
enum gpu_status batch_check_prepare(struct context *s, struct batch_operation *op);

/* Queues the check of an operation after the operation. Call it between verdict_begin and
 * verdict_end (lib/device/verdict.h), which may include several checks. The check reads operands,
 * result and carries from device memory. A sum or difference may be without memory for carries. */
enum gpu_status batch_check_add(struct context *s, const struct batch_operation *op);

/* r = the sum of 1 or 2 low products u[k] v[k], and of terms; all have `words` words, at most 512.
 * A product with its bit in `negatives`, or a term with its bit in `negated`, is subtracted. At
 * most BATCH_TERMS in all. */
enum { BATCH_LOW_SUM_PRODUCTS = 2, BATCH_LOW_SUM_WORDS = 512 };
struct batch_low_sum {
    uint64_t count;
    uint32_t words;
    unsigned products, negatives, terms, negated;
    gpu_mem r, u[BATCH_LOW_SUM_PRODUCTS], v[BATCH_LOW_SUM_PRODUCTS], term[BATCH_TERMS];
};

/* Checks such sums, whose products are not in memory. Call batch_check_prepare for a low product
 * before. */
enum gpu_status batch_check_low_sum(struct context *s, const struct batch_low_sum *sum);

#endif
