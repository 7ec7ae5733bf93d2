/* SPDX-License-Identifier: LGPL-3.0-or-later
 * Batches on the device: `count` numbers of `words` words each, one behind the other, `words`
 * even.  The same operation on all of them at once (doc/design/batch.md). */
#ifndef MPGPU_BATCH_H
#define MPGPU_BATCH_H

#include "kernels/batch/batch.h"
#include "lib/device/context.h"

/* The longest numbers, in words, of products and sums. */
enum { BATCH_MOST_WORDS = 1 << BATCH_MAX_LOG, BATCH_MOST_SUM_WORDS = 4 * BATCH_MOST_WORDS };

/* BATCH_SUM: r = the sum of the terms, those in the mask `negated` subtracted, and carries (none
 * where its h is 0) as many limbs: what belongs on top, with a sign, or less that if `borrows`.
 * BATCH_PRODUCT: r, of twice as many words, = term[0] term[1]; BATCH_LOW: its low words.
 * BATCH_RESIZE: r, of result_words, = term[0], cut or with zeros on top.
 * r lies apart from the terms. */
struct batch_operation {
    enum batch_kind { BATCH_SUM, BATCH_PRODUCT, BATCH_LOW, BATCH_RESIZE } kind;
    int borrows;
    uint64_t count;
    uint32_t words, result_words; /* the latter for BATCH_RESIZE */
    unsigned terms, negated;
    gpu_mem r, carries, term[BATCH_TERMS];
};

/* What the kernels need on the device: before batch_compute. */
enum gpu_status batch_prepare(struct context *s, const struct batch_operation *op);

/* Into the queue, unchecked. */
enum gpu_status batch_compute(struct context *s, const struct batch_operation *op);

/* Both, after lib/selftest/selftest.h's known answers, checked as `verify` says, to the end:
 * GPU_FAILED where a number is wrong. */
enum gpu_status batch_operate(struct context *s, const struct batch_operation *op);

/* What batch_compute is made of, `words` to result_words words.  The numbers begin at these words
 * of their buffers, those of u and v so many words from one to the next, `words` where the step is
 * 0: multiples of 4 where `words` is, else even.  v may be one number for all.  Words of the result
 * below `from` may be left out, and the carry from a word at or below that.  A square where u
 * and v are the same words of the same buffer. */
struct batch_product {
    gpu_mem r, u, v;
    uint64_t count;
    uint32_t words, result_words;
    uint64_t r_at, u_at, v_at;
    uint32_t u_step, v_step, from;
    bool v_is_one;
};
enum gpu_status batch_multiply(struct context *s, const struct batch_product *p);

/* The program that makes such products on such a device: by blocks, matrix units or transforms; and
 * a length of numbers by which it shows all that it does. */
enum gpu_program batch_program(const struct gpu_caps *caps, uint32_t words, uint32_t result_words);
uint32_t batch_program_words(const struct gpu_caps *caps, enum gpu_program program);

/* Whether it is one of those by transforms, by matrix units, by the latter with a group for each
 * number; the logarithm of a transform's length for such numbers, and WORDS of a program by matrix
 * units. */
bool batch_is_transform(enum gpu_program program);
bool batch_is_matrices(enum gpu_program program);
bool batch_is_wide(enum gpu_program program);
unsigned batch_log(uint32_t words);
enum { BATCH_SHORT_WORDS = 64 }; /* the least */
unsigned batch_matrix_words(enum gpu_program program);

/* The check.  Before the operation: room for it, and for the carries of a sum that has none. */
enum gpu_status batch_check_prepare(struct context *s, struct batch_operation *op);

/* Behind the operation in the queue, between verdict_begin and verdict_end (lib/device/verdict.h),
 * which are for all that is checked between them: operands, result and carries are read from
 * memory. A sum may have no carries. */
enum gpu_status batch_check_add(struct context *s, const struct batch_operation *op);

/* r = the sum of low products u[k] v[k], 1 or 2, and of terms, all of so many words, at most 512;
 * bit k of `negatives` and of `negated`: that product, that term is subtracted.  No more than
 * BATCH_TERMS in all. */
enum { BATCH_LOW_SUM_PRODUCTS = 2, BATCH_LOW_SUM_WORDS = 512 };
struct batch_low_sum {
    uint64_t count;
    uint32_t words;
    unsigned products, negatives, terms, negated;
    gpu_mem r, u[BATCH_LOW_SUM_PRODUCTS], v[BATCH_LOW_SUM_PRODUCTS], term[BATCH_TERMS];
};

/* The same of numbers that are such a sum, whose products are nowhere in memory; after
 * batch_check_prepare for a low product. */
enum gpu_status batch_check_low_sum(struct context *s, const struct batch_low_sum *sum);

#endif
