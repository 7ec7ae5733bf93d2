/* SPDX-License-Identifier: LGPL-3.0-or-later
 * The check of expressions in one launch.  It checks nodes in memory as operations on batches
 * (lib/multiply/batch_check.c), and low products that are not in memory as parts of their sum. */
#include "lib/device/kept.h"
#include "lib/device/verdict.h"
#include "lib/expression/expression.h"

bool expression_computes(const struct expression *e, uint64_t needed, unsigned node) {
    return needed >> node & 1 && e->node[node].kind != EXPRESSION_OPERAND;
}

struct batch_operation expression_check_of(const struct context *s,
                                           const struct expression_operation *op,
                                           const int8_t place[EXPRESSION_NODES], unsigned node) {
    struct batch_operation step = expression_step(s, op, place, node);
    if (op->e.node[node].kind == EXPRESSION_RESIZE) {
        step.kind = BATCH_RESIZE;
        step.result_words = op->e.node[node].times * op->words;
    }
    return step;
}

/* Returns the check's description of a sum.  Some of its terms are low products that are not in
 * memory (expression_inside). */
static struct batch_low_sum low_sum_of(const struct context *s,
                                       const struct expression_operation *op,
                                       const int8_t place[EXPRESSION_NODES], unsigned node,
                                       uint64_t inside) {
    const struct expression_node *n = &op->e.node[node];
    struct batch_low_sum sum = {
        .count = op->count, .words = n->times * op->words, .r = expression_mem(s, op, place, node)};
    for (unsigned k = 0; k < n->terms; k++) {
        const struct expression_node *term = &op->e.node[n->term[k]];
        const unsigned minus = n->minus >> k & 1;
        if (inside >> n->term[k] & 1) {
            sum.negatives |= minus << sum.products;
            sum.u[sum.products] = expression_mem(s, op, place, term->term[0]);
            sum.v[sum.products++] = expression_mem(s, op, place, term->term[1]);
        } else {
            sum.negated |= minus << sum.terms;
            sum.term[sum.terms++] = expression_mem(s, op, place, n->term[k]);
        }
    }
    return sum;
}

static enum gpu_status check_node(struct context *s, const struct expression_operation *op,
                                  const int8_t place[EXPRESSION_NODES], unsigned node,
                                  uint64_t inside) {
    const struct expression_node *n = &op->e.node[node];
    bool has_inside = false;
    for (unsigned k = 0; k < n->terms; k++)
        has_inside |= inside >> n->term[k] & 1;
    if (n->kind == EXPRESSION_SUM && has_inside) {
        struct batch_low_sum sum = low_sum_of(s, op, place, node, inside);
        return batch_check_low_sum(s, &sum);
    }
    struct batch_operation step = expression_check_of(s, op, place, node);
    return batch_check_add(s, &step);
}

static enum gpu_status keep(struct context *s, const struct expression_operation *op) {
    enum gpu_status status = GPU_OK;
    for (unsigned k = 0; k < op->e.results && status == GPU_OK; k++)
        status =
            kept_result(s, op->r[k], 0, op->count * op->e.node[op->e.result[k]].times * op->words);
    return status;
}

enum gpu_status expression_check(struct context *s, const struct expression_operation *op,
                                 const int8_t place[EXPRESSION_NODES]) {
    const uint64_t needed = expression_needed(&op->e), inside = expression_inside(&op->e);
    enum gpu_status status = verdict_begin(s);
    if (status == GPU_OK)
        status = keep(s, op);
    for (unsigned i = 0; i < op->e.nodes && status == GPU_OK; i++)
        if (expression_computes(&op->e, needed, i) && !(inside >> i & 1))
            status = check_node(s, op, place, i, inside);
    return status == GPU_OK ? verdict_end(s) : status;
}
