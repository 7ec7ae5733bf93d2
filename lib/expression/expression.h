/* SPDX-License-Identifier: LGPL-3.0-or-later
 * Expressions: small programs of operations on batches, which are arrays of numbers of n limbs
 * (doc/design/expressions.md).  A node is an operand, or is computed from nodes before it.  Its
 * numbers have `times` n limbs. */
#ifndef MPGPU_EXPRESSION_H
#define MPGPU_EXPRESSION_H

#include "lib/multiply/batch.h"

enum {
    EXPRESSION_NODES = 64,
    EXPRESSION_OPERANDS = 8,
    EXPRESSION_RESULTS = 3,
    EXPRESSION_TIMES = 8,
    EXPRESSION_KEPT = 8 /* most intermediate nodes in memory at once */
};

/* Operations.  SUM: the sum of the terms, reduced modulo 2^bits, where bits is the node's length;
 * terms in the mask `minus` are subtracted.  All terms have the node's length.  PRODUCT: the full
 * product of two terms of equal length.  LOW: the low half of such a product.  RESIZE: the first
 * term, truncated or extended by zeros. */
enum expression_kind {
    EXPRESSION_OPERAND, /* operand number term[0] */
    EXPRESSION_SUM,
    EXPRESSION_PRODUCT,
    EXPRESSION_LOW,
    EXPRESSION_RESIZE
};

struct expression_node {
    uint8_t kind, times, terms, minus;
    uint8_t term[BATCH_TERMS];
};

/* An expression.  The results are different nodes, and none of them is an operand. */
struct expression {
    uint32_t nodes, operands, results;
    struct expression_node node[EXPRESSION_NODES];
    uint8_t result[EXPRESSION_RESULTS];
};

/* An expression for `count` numbers. Operands have `words` words, an even number. Results do not
 * overlap operands. */
struct expression_operation {
    struct expression e;
    uint64_t count;
    uint32_t words;
    gpu_mem r[EXPRESSION_RESULTS], u[EXPRESSION_OPERANDS];
};

/* Returns true if e is a valid expression, with its operands as the first nodes, in order.  Any
 * content of *e is allowed; the other functions require that it is valid. */
bool expression_is_valid(const struct expression *e);

/* Returns the mask of nodes that the results depend on: bit i for node i. */
uint64_t expression_needed(const struct expression *e);

/* Returns the index of a node among e's results, or -1 if the node is no result. */
int expression_result_of(const struct expression *e, unsigned node);

/* Returns the length of the longest node that is needed, as a multiple of the operands' length. */
unsigned expression_most_times(const struct expression *e);

/* Returns true if the device can compute the nodes of e for operands of `words` words, and
 * EXPRESSION_KEPT buffers suffice for intermediate values. */
bool expression_fits(const struct expression *e, uint64_t words);

/* Returns the mask (bit i for node i) of low products whose values the check of results does not
 * need in memory.  The check computes such a product together with the sum that uses it
 * (lib/expression/expression_check.c).  Exactly one sum uses it, once; a sum has at most two such
 * products. */
uint64_t expression_inside(const struct expression *e);

/* Finds, for each node of an expression, the last needed node that uses it as a term; the node
 * itself if there is none. */
void expression_last_uses(const struct expression *e, uint8_t last[EXPRESSION_NODES]);

/* Assigns nodes that are neither operand nor result to places, which are buffers for intermediate
 * values.  Sets place[i] to the place of node i, a number below EXPRESSION_KEPT, or to -1.  A node
 * keeps its place while it is needed.  With `keep`, each node keeps its place to the end, and nodes
 * of expression_inside have no place.  Returns false if too many places are needed at once. */
bool expression_places(const struct expression *e, bool keep, int8_t place[EXPRESSION_NODES]);

/* expression_reserve allocates memory for each place that `place` names (expression_places).
 * expression_mem returns a node's memory; nodes of expression_inside have none. */
enum gpu_status expression_reserve(struct context *s, const struct expression_operation *op,
                                   const int8_t place[EXPRESSION_NODES]);
gpu_mem expression_mem(const struct context *s, const struct expression_operation *op,
                       const int8_t place[EXPRESSION_NODES], unsigned node);

/* Returns a node as an operation on batches; the node must not be an operand or a RESIZE. */
struct batch_operation expression_step(const struct context *s,
                                       const struct expression_operation *op,
                                       const int8_t place[EXPRESSION_NODES], unsigned node);

/* Returns true if a node is needed and is no operand. */
bool expression_computes(const struct expression *e, uint64_t needed, unsigned node);

/* Returns the operation on batches by which the check verifies a node.  The node must be in memory,
 * and may be a RESIZE. */
struct batch_operation expression_check_of(const struct context *s,
                                           const struct expression_operation *op,
                                           const int8_t place[EXPRESSION_NODES], unsigned node);

/* Checks the nodes that one launch has computed, which must be in memory, and waits for the result.
 * If there is a product, batch_check_prepare must be called before.  Returns GPU_OK if all numbers
 * are right. */
enum gpu_status expression_check(struct context *s, const struct expression_operation *op,
                                 const int8_t place[EXPRESSION_NODES]);

/* Tests the kernels involved by known answers.  Then computes the results, checks them as the
 * option `verify` demands, and waits for them.  Returns GPU_FAILED if a number is wrong.
 * expression_operate uses one launch if possible; expression_by_steps launches each node by
 * itself. */
enum gpu_status expression_operate(struct context *s, const struct expression_operation *op);
enum gpu_status expression_by_steps(struct context *s, const struct expression_operation *op);

#endif
