/* SPDX-License-Identifier: LGPL-3.0-or-later
 * Expressions (include/mpgpu.h): functions that record operations one by one, then run all of them
 * on batches. A node is an operand or the value of a recorded operation. */
#include <stdlib.h>

#include "compat/batch/task.h"

struct mpgpu_expression {
    struct expression e;
    const char *wrong; /* the error text of the first call that failed, or NULL */
    bool is_finished;
};

_Static_assert(MPGPU_EXPRESSION_OPERANDS == EXPRESSION_OPERANDS &&
                   MPGPU_EXPRESSION_RESULTS == EXPRESSION_RESULTS,
               "as the library has it");

static int refuse(mpgpu_expression *e, const char *text) {
    if (!e->wrong && !e->is_finished)
        e->wrong = text;
    batch_fail_text(MPGPU_ARGUMENTS, text);
    return -1;
}

static int fail(mpgpu_expression *e) {
    if (!e) {
        batch_fail_text(MPGPU_ARGUMENTS, "no expression");
        return -1;
    }
    return refuse(e, "an expression is finished, or a node does not belong to it");
}

static bool is_open(const mpgpu_expression *e) {
    return e && !e->wrong && !e->is_finished;
}

static bool has(const mpgpu_expression *e, int node) {
    return node >= 0 && (unsigned)node < e->e.nodes;
}

static int add_node(mpgpu_expression *e, struct expression_node node) {
    if (e->e.nodes == EXPRESSION_NODES)
        return refuse(e, "an expression of too many nodes");
    if (node.times > EXPRESSION_TIMES)
        return refuse(e, "an expression with numbers that are too long");
    e->e.node[e->e.nodes] = node;
    return (int)e->e.nodes++;
}

EXPORT mpgpu_expression *mpgpu_expression_create(unsigned operands) {
    if (operands == 0 || operands > EXPRESSION_OPERANDS) {
        batch_fail_text(MPGPU_ARGUMENTS, "an expression without operands, or of too many");
        return NULL;
    }
    mpgpu_expression *e = calloc(1, sizeof *e);
    if (!e) {
        batch_fail(MPGPU_NO_MEMORY);
        return NULL;
    }
    e->e.operands = operands;
    for (unsigned k = 0; k < operands; k++)
        add_node(e, (struct expression_node){
                        .kind = EXPRESSION_OPERAND, .times = 1, .terms = 1, .term = {(uint8_t)k}});
    return e;
}

EXPORT void mpgpu_expression_destroy(mpgpu_expression *e) {
    free(e);
}

/* Returns the index of the node for operand `number`. This is `number` itself, because the operands
 * are the first nodes of an expression. */
EXPORT int mpgpu_expression_operand(mpgpu_expression *e, unsigned number) {
    return is_open(e) && number < e->e.operands ? (int)number : fail(e);
}

static int resize(mpgpu_expression *e, int node, unsigned times) {
    if (e->e.node[node].times == times)
        return node;
    return add_node(e, (struct expression_node){.kind = EXPRESSION_RESIZE,
                                                .times = (uint8_t)times,
                                                .terms = 1,
                                                .term = {(uint8_t)node}});
}

EXPORT int mpgpu_expression_resize(mpgpu_expression *e, int u, unsigned times) {
    if (!is_open(e) || !has(e, u) || times == 0)
        return fail(e);
    return times > EXPRESSION_TIMES ? refuse(e, "an expression with numbers that are too long")
                                    : resize(e, u, times);
}

/* Records an operation of `terms` operands, and returns its node. First records operations that
 * extend all operands to the length of the longest. */
static int combine(mpgpu_expression *e, enum expression_kind kind, const int *u, unsigned terms,
                   unsigned minus) {
    struct expression_node node = {
        .kind = (uint8_t)kind, .terms = (uint8_t)terms, .minus = (uint8_t)minus};
    unsigned most = 0;
    bool is_right = is_open(e);
    for (unsigned k = 0; k < terms && is_right; k++) {
        is_right = has(e, u[k]);
        if (is_right && e->e.node[u[k]].times > most)
            most = e->e.node[u[k]].times;
    }
    if (!is_right)
        return fail(e);
    for (unsigned k = 0; k < terms; k++) {
        int term = resize(e, u[k], most);
        if (term < 0)
            return -1;
        node.term[k] = (uint8_t)term;
    }
    node.times = (uint8_t)(kind == EXPRESSION_PRODUCT ? 2 * most : most);
    return add_node(e, node);
}

EXPORT int mpgpu_expression_sum(mpgpu_expression *e, const int *u, unsigned terms, unsigned minus) {
    if (!e || !u || terms == 0 || terms > MPGPU_TERMS)
        return fail(e);
    return combine(e, EXPRESSION_SUM, u, terms, minus);
}

static int two(mpgpu_expression *e, enum expression_kind kind, int u, int v, unsigned minus) {
    return combine(e, kind, (const int[]){u, v}, 2, minus);
}

EXPORT int mpgpu_expression_add(mpgpu_expression *e, int u, int v) {
    return two(e, EXPRESSION_SUM, u, v, 0);
}

EXPORT int mpgpu_expression_sub(mpgpu_expression *e, int u, int v) {
    return two(e, EXPRESSION_SUM, u, v, 2);
}

EXPORT int mpgpu_expression_mul(mpgpu_expression *e, int u, int v) {
    return two(e, EXPRESSION_PRODUCT, u, v, 0);
}

EXPORT int mpgpu_expression_mullo(mpgpu_expression *e, int u, int v) {
    return two(e, EXPRESSION_LOW, u, v, 0);
}

EXPORT int mpgpu_expression_sqr(mpgpu_expression *e, int u) {
    return two(e, EXPRESSION_PRODUCT, u, u, 0);
}

/* Makes the value of node u a result. Records a copy if u is an operand or already a result,
 * because each result needs a node of its own. */
EXPORT int mpgpu_expression_result(mpgpu_expression *e, int u) {
    if (!is_open(e) || !has(e, u))
        return fail(e);
    if (e->e.results == EXPRESSION_RESULTS)
        return refuse(e, "an expression of too many results");
    if ((unsigned)u < e->e.operands || expression_result_of(&e->e, (unsigned)u) >= 0)
        u = combine(e, EXPRESSION_SUM, &u, 1, 0);
    if (u < 0)
        return -1;
    e->e.result[e->e.results] = (uint8_t)u;
    return (int)e->e.results++;
}

EXPORT int mpgpu_expression_finish(mpgpu_expression *e) {
    if (!e)
        return batch_fail_text(MPGPU_ARGUMENTS, "no expression");
    if (!e->wrong && e->e.results == 0)
        e->wrong = "an expression without results";
    if (e->wrong)
        return batch_fail_text(MPGPU_ARGUMENTS, e->wrong);
    e->is_finished = true;
    return 0;
}

EXPORT size_t mpgpu_expression_times(const mpgpu_expression *e, unsigned result) {
    return e && result < e->e.results ? e->e.node[e->e.result[result]].times : 0;
}

EXPORT int mpgpu_expression_run(const mpgpu_expression *e, mpgpu_batch *const *r,
                                mpgpu_batch *const *u) {
    if (!e || !e->is_finished)
        return batch_fail_text(MPGPU_ARGUMENTS, "an expression that is not finished");
    if (!r || !u)
        return batch_fail(MPGPU_ARGUMENTS);
    struct batch_task t = {
        .op = JOB_batch_expression, .operands = e->e.operands, .results = e->e.results, .e = &e->e};
    for (unsigned k = 0; k < t.operands; k++)
        t.u[k] = u[k];
    for (unsigned k = 0; k < t.results; k++)
        t.r[k] = r[k];
    return batch_task_perform(&t);
}
