/* SPDX-License-Identifier: LGPL-3.0-or-later
 * Expressions as kernels: C text that calls the functions of kernels/batch/expression.h, node by
 * node.  Factors lie in local memory at one of two sides; where they lie already, they stay. */
#include "lib/expression/expression_text.h"

#include <stdarg.h>
#include <stdio.h>

#include "lib/base/ceil_div.h"

enum { SIDES = 2, NOTHING = -1 };

struct writer {
    const struct expression *e;
    const int8_t *place;
    uint64_t needed, loaded; /* nodes */
    uint32_t words;
    bool keep;
    int side[SIDES]; /* the node that lies there */
    char *text;
    size_t used;
};

static void __attribute__((format(printf, 2, 3))) put(struct writer *w, const char *format, ...) {
    va_list list;
    va_start(list, format);
    int length = vsnprintf(w->text + w->used, EXPRESSION_TEXT - w->used, format, list);
    va_end(list);
    if (length > 0 && w->used + (size_t)length < EXPRESSION_TEXT)
        w->used += (size_t)length;
}

static const struct expression_node *node_of(const struct writer *w, unsigned i) {
    return &w->e->node[i];
}

static uint32_t words_of(const struct writer *w, unsigned i) {
    return node_of(w, i)->times * w->words;
}

static bool is_needed(const struct writer *w, unsigned i) {
    return w->needed >> i & 1;
}

static bool is_kept(const struct writer *w, unsigned i) {
    return w->keep && is_needed(w, i) && w->place[i] >= 0;
}

/* ---- the head */

static void put_head(struct writer *w) {
    put(w, "KERNEL(CARRY_THREADS)\nfrom_text(");
    for (unsigned k = 0; k < w->e->results; k++)
        put(w, "GLOBAL u32 *r%u, ", k);
    for (unsigned i = 0; i < w->e->nodes; i++)
        if (is_kept(w, i))
            put(w, "GLOBAL u32 *k%d, ", w->place[i]);
    put(w, "u64 count");
    for (unsigned k = 0; k < w->e->operands; k++)
        put(w, ", GLOBAL const u32 *u%u", k);
    put(w, ") {\n    EXPRESSION_TEAM(%u);\n    u32 reaches;\n", expression_items(w->e, w->words));
    for (unsigned i = 0; i < w->e->nodes; i++)
        if (is_needed(w, i))
            put(w, "    u32 x%u[SPAN];\n", i);
}

/* ---- nodes */

/* Operands are loaded before their first use. */
static void put_loads(struct writer *w, const struct expression_node *node) {
    for (unsigned k = 0; k < node->terms; k++) {
        unsigned i = node->term[k];
        if (i < w->e->operands && !(w->loaded >> i & 1)) {
            put(w, "    team_load(x%u, u%u, %u, t);\n", i, node_of(w, i)->term[0], w->words);
            w->loaded |= UINT64_C(1) << i;
        }
    }
}

static bool is_factor_after(const struct writer *w, unsigned i, int node) {
    for (unsigned k = i + 1; k < w->e->nodes; k++) {
        const struct expression_node *n = node_of(w, k);
        bool is_product = n->kind == EXPRESSION_PRODUCT || n->kind == EXPRESSION_LOW;
        if (is_needed(w, k) && is_product && (n->term[0] == node || n->term[1] == node))
            return true;
    }
    return false;
}

static int side_of(const struct writer *w, int node) {
    return w->side[0] == node ? 0 : w->side[1] == node ? 1 : NOTHING;
}

/* Brings a factor of node i to a side, not that of `other`: rather where nothing lies that is
 * a factor again. */
static int put_factor(struct writer *w, unsigned i, int factor, int other) {
    int side = side_of(w, factor);
    if (side != NOTHING)
        return side;
    side = w->side[0] == other || (w->side[1] != other && is_factor_after(w, i, w->side[0]) &&
                                   !is_factor_after(w, i, w->side[1]));
    put(w, "    team_put(%s, x%d, %u, t);\n", side ? "side_v" : "side_u", factor,
        words_of(w, (unsigned)factor));
    w->side[side] = factor;
    return side;
}

static void put_product(struct writer *w, unsigned i, const struct expression_node *node) {
    static const char *const sides[] = {"side_u", "side_v"};
    int u = node->term[0], v = node->term[1];
    int at_u = put_factor(w, i, u, v == u ? NOTHING - 1 : v);
    int at_v = u == v ? at_u : put_factor(w, i, v, u);
    put(w, "    team_multiply(x%u, %s, %s, %u, %u, %d, t);\n", i, sides[at_u], sides[at_v],
        words_of(w, (unsigned)u), words_of(w, i), u == v);
}

static void put_sum(struct writer *w, unsigned i, const struct expression_node *node) {
    unsigned negatives = 0, first = 0;
    while (first < node->terms && node->minus >> first & 1)
        first++;
    if (first < node->terms)
        put(w, "    team_copy(x%u, x%u);\n    reaches = 0;\n", i, node->term[first]);
    else
        put(w, "    team_zero(x%u);\n    reaches = 0;\n", i);
    for (unsigned k = 0; k < node->terms; k++) {
        bool minus = node->minus >> k & 1;
        negatives += minus;
        if (k != first)
            put(w, "    reaches += team_add(x%u, x%u, %s);\n", i, node->term[k],
                minus ? "~0u" : "0u");
    }
    put(w, "    team_sum(x%u, reaches, %u, %u, t);\n", i, negatives, words_of(w, i));
}

static void put_node(struct writer *w, unsigned i) {
    const struct expression_node *node = node_of(w, i);
    int result = expression_result_of(w->e, i);
    put_loads(w, node);
    if (node->kind == EXPRESSION_SUM)
        put_sum(w, i, node);
    else if (node->kind == EXPRESSION_RESIZE)
        put(w, "    team_cut(x%u, x%u, %u, t);\n", i, node->term[0],
            words_of(w, i) < words_of(w, node->term[0]) ? words_of(w, i)
                                                        : words_of(w, node->term[0]));
    else
        put_product(w, i, node);
    if (result >= 0)
        put(w, "    team_store(r%d, x%u, %u, t);\n", result, i, words_of(w, i));
    else if (is_kept(w, i))
        put(w, "    team_store(k%d, x%u, %u, t);\n", w->place[i], i, words_of(w, i));
}

uint32_t expression_items(const struct expression *e, uint32_t words) {
    return (uint32_t)ceil_div(expression_most_times(e) * words, EXPRESSION_SPAN);
}

void expression_text(const struct expression *e, uint32_t words, bool keep,
                     const int8_t place[EXPRESSION_NODES], char text[EXPRESSION_TEXT]) {
    struct writer w = {.e = e,
                       .place = place,
                       .needed = expression_needed(e),
                       .words = words,
                       .keep = keep,
                       .side = {NOTHING, NOTHING},
                       .text = text};
    text[0] = '\0';
    put_head(&w);
    for (unsigned i = 0; i < e->nodes; i++)
        if (is_needed(&w, i) && e->node[i].kind != EXPRESSION_OPERAND)
            put_node(&w, i);
    put(&w, "}\n");
}
