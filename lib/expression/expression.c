/* SPDX-License-Identifier: LGPL-3.0-or-later
 * Expressions: which nodes (operands and operations) the results need, and where the nodes' values
 * are in memory. */
#include "lib/expression/expression.h"

/* ---- validity */

/* Returns true if `node` has 1 to `most` terms, which are earlier nodes of the expression and have
 * the length of its first term. */
static bool has_alike_terms(const struct expression *e, unsigned node, unsigned most) {
    const struct expression_node *n = &e->node[node];
    if (n->terms == 0 || n->terms > most)
        return false;
    for (unsigned k = 0; k < n->terms; k++)
        if (n->term[k] >= node || e->node[n->term[k]].times != e->node[n->term[0]].times)
            return false;
    return true;
}

static bool is_valid_node(const struct expression *e, unsigned node) {
    const struct expression_node *n = &e->node[node];
    const bool is_product = n->kind == EXPRESSION_PRODUCT || n->kind == EXPRESSION_LOW;
    if (node < e->operands)
        return n->kind == EXPRESSION_OPERAND && n->times == 1 && n->terms <= 1 &&
               n->term[0] == node;
    if (n->kind == EXPRESSION_OPERAND || n->kind > EXPRESSION_RESIZE || n->times == 0 ||
        n->times > EXPRESSION_TIMES || !has_alike_terms(e, node, BATCH_TERMS))
        return false;
    if (n->kind == EXPRESSION_RESIZE)
        return n->terms == 1;
    return (!is_product || n->terms == 2) &&
           n->times == e->node[n->term[0]].times * (n->kind == EXPRESSION_PRODUCT ? 2 : 1);
}

static bool is_valid_result(const struct expression *e, unsigned k) {
    for (unsigned i = 0; i < k; i++)
        if (e->result[i] == e->result[k])
            return false;
    return e->result[k] >= e->operands && e->result[k] < e->nodes;
}

bool expression_is_valid(const struct expression *e) {
    if (e->nodes > EXPRESSION_NODES || e->operands == 0 || e->operands > EXPRESSION_OPERANDS ||
        e->operands >= e->nodes || e->results == 0 || e->results > EXPRESSION_RESULTS)
        return false;
    for (unsigned i = 0; i < e->nodes; i++)
        if (!is_valid_node(e, i))
            return false;
    for (unsigned k = 0; k < e->results; k++)
        if (!is_valid_result(e, k))
            return false;
    return true;
}

/* ---- */

uint64_t expression_needed(const struct expression *e) {
    uint64_t needed = 0;
    for (unsigned k = 0; k < e->results; k++)
        needed |= UINT64_C(1) << e->result[k];
    for (unsigned i = e->nodes; i-- > 0;)
        if (needed >> i & 1 && e->node[i].kind != EXPRESSION_OPERAND)
            for (unsigned k = 0; k < e->node[i].terms; k++)
                needed |= UINT64_C(1) << e->node[i].term[k];
    return needed;
}

int expression_result_of(const struct expression *e, unsigned node) {
    for (unsigned k = 0; k < e->results; k++)
        if (e->result[k] == node)
            return (int)k;
    return -1;
}

unsigned expression_most_times(const struct expression *e) {
    uint64_t needed = expression_needed(e);
    unsigned most = 1;
    for (unsigned i = 0; i < e->nodes; i++)
        if (needed >> i & 1 && e->node[i].times > most)
            most = e->node[i].times;
    return most;
}

bool expression_fits(const struct expression *e, uint64_t words) {
    uint64_t needed = expression_needed(e);
    int8_t unused[EXPRESSION_NODES];
    if (words > BATCH_MOST_SUM_WORDS)
        return false;
    for (unsigned i = 0; i < e->nodes; i++) {
        const struct expression_node *node = &e->node[i];
        uint32_t most = node->kind == EXPRESSION_PRODUCT ? 2 * BATCH_MOST_WORDS
                        : node->kind == EXPRESSION_LOW   ? BATCH_MOST_WORDS
                                                         : BATCH_MOST_SUM_WORDS;
        if (needed >> i & 1 && node->times * words > most)
            return false;
    }
    return expression_places(e, false, unused);
}

void expression_last_uses(const struct expression *e, uint8_t last[EXPRESSION_NODES]) {
    const uint64_t needed = expression_needed(e);
    for (unsigned i = 0; i < e->nodes; i++) {
        last[i] = (uint8_t)i;
        if (needed >> i & 1 && e->node[i].kind != EXPRESSION_OPERAND)
            for (unsigned k = 0; k < e->node[i].terms; k++)
                last[e->node[i].term[k]] = (uint8_t)i;
    }
}

/* Sets uses[i] to the number of times that node i is a term of a needed node, plus 1 if node i is a
 * result. */
static void count_uses(const struct expression *e, uint64_t needed,
                       uint8_t uses[EXPRESSION_NODES]) {
    for (unsigned i = 0; i < e->nodes; i++)
        uses[i] = expression_result_of(e, i) >= 0;
    for (unsigned i = 0; i < e->nodes; i++)
        if (needed >> i & 1 && e->node[i].kind != EXPRESSION_OPERAND)
            for (unsigned k = 0; k < e->node[i].terms; k++)
                uses[e->node[i].term[k]]++;
}

uint64_t expression_inside(const struct expression *e) {
    uint64_t needed = expression_needed(e), inside = 0;
    uint8_t uses[EXPRESSION_NODES];
    count_uses(e, needed, uses);
    for (unsigned i = 0; i < e->nodes; i++) {
        unsigned products = 0;
        if (!(needed >> i & 1) || e->node[i].kind != EXPRESSION_SUM)
            continue;
        for (unsigned k = 0; k < e->node[i].terms; k++) {
            unsigned term = e->node[i].term[k];
            if (e->node[term].kind == EXPRESSION_LOW && uses[term] == 1 &&
                expression_result_of(e, term) < 0 && products++ < BATCH_LOW_SUM_PRODUCTS)
                inside |= UINT64_C(1) << term;
        }
    }
    return inside;
}

bool expression_places(const struct expression *e, bool keep, int8_t place[EXPRESSION_NODES]) {
    uint64_t needed = expression_needed(e), inside = keep ? expression_inside(e) : 0;
    uint8_t last[EXPRESSION_NODES];
    /* free_after[k]: index of the last node, among those assigned so far, that needs place k (a
     * buffer for intermediate values) */
    int free_after[EXPRESSION_KEPT];
    expression_last_uses(e, last);
    for (unsigned k = 0; k < EXPRESSION_KEPT; k++)
        free_after[k] = -1;
    for (unsigned i = 0; i < e->nodes; i++) {
        place[i] = -1;
        if (!(needed >> i & 1) || e->node[i].kind == EXPRESSION_OPERAND ||
            expression_result_of(e, i) >= 0 || inside >> i & 1)
            continue;
        int8_t k = 0;
        while (k < EXPRESSION_KEPT && free_after[k] >= (int)i)
            k++;
        if (k == EXPRESSION_KEPT)
            return false;
        place[i] = k;
        free_after[k] = keep ? EXPRESSION_NODES : last[i];
    }
    return true;
}
