/* SPDX-License-Identifier: LGPL-3.0-or-later
 * Expressions launch by launch: each node is an operation on batches, and is checked as such. */
#include "lib/base/ceil_div.h"
#include "lib/base/conf.h"
#include "lib/device/kept.h"
#include "lib/device/launch.h"
#include "lib/expression/expression.h"
#include "lib/selftest/selftest.h"

static enum context_slot slot_of(int8_t place) {
    return (enum context_slot)(SLOT_EXPRESSION + place);
}

enum gpu_status expression_reserve(struct context *s, const struct expression_operation *op,
                                   const int8_t place[EXPRESSION_NODES]) {
    enum gpu_status status = GPU_OK;
    size_t bytes[EXPRESSION_KEPT] = {0};
    for (unsigned i = 0; i < op->e.nodes; i++) {
        size_t here = op->count * op->e.node[i].times * op->words * sizeof(uint32_t);
        if (place[i] >= 0 && bytes[place[i]] < here)
            bytes[place[i]] = here;
    }
    for (int8_t k = 0; k < EXPRESSION_KEPT && status == GPU_OK; k++) {
        gpu_mem unused;
        if (bytes[k])
            status = context_buffer(s, slot_of(k), bytes[k], &unused);
    }
    return status;
}

gpu_mem expression_mem(const struct context *s, const struct expression_operation *op,
                       const int8_t place[EXPRESSION_NODES], unsigned node) {
    int result = expression_result_of(&op->e, node);
    if (result >= 0)
        return op->r[result];
    if (op->e.node[node].kind == EXPRESSION_OPERAND)
        return op->u[op->e.node[node].term[0]];
    return place[node] < 0 ? (gpu_mem){0} : s->slot[slot_of(place[node])].mem;
}

struct batch_operation expression_step(const struct context *s,
                                       const struct expression_operation *op,
                                       const int8_t place[EXPRESSION_NODES], unsigned node) {
    const struct expression_node *n = &op->e.node[node];
    struct batch_operation step = {.kind = n->kind == EXPRESSION_SUM       ? BATCH_SUM
                                           : n->kind == EXPRESSION_PRODUCT ? BATCH_PRODUCT
                                                                           : BATCH_LOW,
                                   .count = op->count,
                                   .words = op->e.node[n->term[0]].times * op->words,
                                   .terms = n->terms,
                                   .negated = n->minus,
                                   .r = expression_mem(s, op, place, node)};
    for (unsigned k = 0; k < n->terms; k++)
        step.term[k] = expression_mem(s, op, place, n->term[k]);
    return step;
}

/* The memory of each node's values. The check compares the residues of these values
 * (lib/device/kept.h). */
struct values {
    struct kept_number number[EXPRESSION_NODES];
    uint8_t last[EXPRESSION_NODES]; /* the last node that uses the value */
};

static void follow(const struct context *s, const struct expression_operation *op,
                   const int8_t place[EXPRESSION_NODES], struct values *v) {
    expression_last_uses(&op->e, v->last);
    for (unsigned i = 0; i < op->e.nodes; i++)
        v->number[i] = (struct kept_number){expression_mem(s, op, place, i),
                                            op->count * op->e.node[i].times * op->words, 0};
}

/* Begins the step that computes a node (kept_step). The residues of operands are compared only at
 * the end. */
static void begin_step(struct context *s, const struct expression_operation *op, unsigned node,
                       struct values *v, struct kept_number *used[BATCH_TERMS]) {
    const struct expression_node *n = &op->e.node[node];
    unsigned count = 0;
    for (unsigned k = 0; k < n->terms; k++) {
        const unsigned term = n->term[k];
        bool is_new = v->last[term] == node && op->e.node[term].kind != EXPRESSION_OPERAND;
        for (unsigned i = 0; i < k; i++)
            is_new &= n->term[i] != term;
        if (is_new)
            used[count++] = &v->number[term];
    }
    kept_step(s, &v->number[node], used, count);
}

static struct batch_operation resize_of(const struct context *s,
                                        const struct expression_operation *op,
                                        const int8_t place[EXPRESSION_NODES], unsigned node) {
    const struct expression_node *n = &op->e.node[node], *of = &op->e.node[n->term[0]];
    return (struct batch_operation){.kind = BATCH_RESIZE,
                                    .count = op->count,
                                    .words = of->times * op->words,
                                    .result_words = n->times * op->words,
                                    .terms = 1,
                                    .r = expression_mem(s, op, place, node),
                                    .term = {expression_mem(s, op, place, n->term[0])}};
}

static enum gpu_status take_step(struct context *s, const struct expression_operation *op,
                                 const int8_t place[EXPRESSION_NODES], unsigned node,
                                 struct values *v) {
    const bool is_resize = op->e.node[node].kind == EXPRESSION_RESIZE;
    struct batch_operation step =
        is_resize ? resize_of(s, op, place, node) : expression_step(s, op, place, node);
    struct kept_number *used[BATCH_TERMS];
    enum gpu_status status = is_resize ? GPU_OK : selftest_batch(s, &step);
    if (status != GPU_OK)
        return status;
    begin_step(s, op, node, v, used);
    status = batch_operate(s, &step);
    kept_step(s, NULL, NULL, 0);
    return status;
}

enum gpu_status expression_by_steps(struct context *s, const struct expression_operation *op) {
    int8_t place[EXPRESSION_NODES];
    struct values v;
    uint64_t needed = expression_needed(&op->e);
    enum gpu_status status =
        expression_places(&op->e, false, place) ? expression_reserve(s, op, place) : GPU_NOMEM;
    if (status == GPU_OK)
        follow(s, op, place, &v);
    for (unsigned i = 0; i < op->e.nodes && status == GPU_OK; i++)
        if (needed >> i & 1 && op->e.node[i].kind != EXPRESSION_OPERAND)
            status = take_step(s, op, place, i, &v);
    return status;
}
