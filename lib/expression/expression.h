/* SPDX-License-Identifier: LGPL-3.0-or-later
 * Expressions: small programs of operations on batches (doc/design/expressions.md).  Node i is made
 * of nodes before it, and holds for every number of the batches `times` n limbs. */
#ifndef MPGPU_EXPRESSION_H
#define MPGPU_EXPRESSION_H

#include "lib/multiply/batch.h"

enum {
    EXPRESSION_NODES = 64,
    EXPRESSION_OPERANDS = 8,
    EXPRESSION_RESULTS = 3,
    EXPRESSION_TIMES = 8,
    EXPRESSION_KEPT = 8 /* nodes between operands and results that have memory at once */
};

/* SUM: of the terms, those in the mask `minus` subtracted, modulo 2^(its bits).  PRODUCT: of the
 * first two, twice as long as they are; LOW: its low half.  RESIZE: the first, cut, or with zeros
 * on top.  Terms of the others are all of the same length. */
enum expression_kind {
    EXPRESSION_OPERAND, /* number term[0] of them */
    EXPRESSION_SUM,
    EXPRESSION_PRODUCT,
    EXPRESSION_LOW,
    EXPRESSION_RESIZE
};

struct expression_node {
    uint8_t kind, times, terms, minus;
    uint8_t term[BATCH_TERMS];
};

/* Every result is another node, none an operand. */
struct expression {
    uint32_t nodes, operands, results;
    struct expression_node node[EXPRESSION_NODES];
    uint8_t result[EXPRESSION_RESULTS];
};

/* `count` numbers; operands have `words` words, an even number.  Results lie apart from them. */
struct expression_operation {
    struct expression e;
    uint64_t count;
    uint32_t words;
    gpu_mem r[EXPRESSION_RESULTS], u[EXPRESSION_OPERANDS];
};

/* Returns true if e is one of the kind described here, with its operands as the first nodes, in
 * order. Any content of *e is allowed; the other functions require that it is valid. */
bool expression_is_valid(const struct expression *e);

/* Bit i: the results need node i. */
uint64_t expression_needed(const struct expression *e);

/* The number of the result that a node is, or -1. */
int expression_result_of(const struct expression *e, unsigned node);

/* The longest node that is needed. */
unsigned expression_most_times(const struct expression *e);

/* Whether the device can do it at all: its lengths, and the memory of nodes. */
bool expression_fits(const struct expression *e, uint64_t words);

/* Bit i: node i is a low product that one sum alone needs, once, one of two at most in that sum.
 * The check sees it with the sum (lib/expression/expression_check.c). */
uint64_t expression_inside(const struct expression *e);

/* Where nodes lie: place[i] is a number below EXPRESSION_KEPT for those that are neither operand
 * nor result, each as long as it is needed, or to the end where `keep`, for all that are not
 * inside of others.  False if they are too many at once. */
bool expression_places(const struct expression *e, bool keep, int8_t place[EXPRESSION_NODES]);

/* Memory for them, and that of a node, none of one inside of another. */
enum gpu_status expression_reserve(struct context *s, const struct expression_operation *op,
                                   const int8_t place[EXPRESSION_NODES]);
gpu_mem expression_mem(const struct context *s, const struct expression_operation *op,
                       const int8_t place[EXPRESSION_NODES], unsigned node);

/* A node as an operation on batches, unless it is an operand or resized. */
struct batch_operation expression_step(const struct context *s,
                                       const struct expression_operation *op,
                                       const int8_t place[EXPRESSION_NODES], unsigned node);

/* Whether a node is needed and no operand. */
bool expression_computes(const struct expression *e, uint64_t needed, unsigned node);

/* The same, of a resized node too, for the check of what is in memory. */
struct batch_operation expression_check_of(const struct context *s,
                                           const struct expression_operation *op,
                                           const int8_t place[EXPRESSION_NODES], unsigned node);

/* The check of one launch, to the end, where nodes have been kept, after batch_check_prepare for a
 * low product: GPU_OK if all numbers are right. */
enum gpu_status expression_check(struct context *s, const struct expression_operation *op,
                                 const int8_t place[EXPRESSION_NODES]);

/* The results, after known answers of what computes them, checked as `verify` says, to the end:
 * GPU_FAILED where a number is wrong.  In one launch where that can be; else launch by launch. */
enum gpu_status expression_operate(struct context *s, const struct expression_operation *op);
enum gpu_status expression_by_steps(struct context *s, const struct expression_operation *op);

#endif
