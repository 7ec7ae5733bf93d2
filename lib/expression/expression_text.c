/* SPDX-License-Identifier: LGPL-3.0-or-later
 * Writes the C text of kernels that compute expressions.  For each node, the text calls functions
 * of kernels/batch/expression.h or expression_row.h.  Factors of products are copied to buffers of
 * local memory (sides), and stay there for later products.
 *
 * A number is computed by a team or by a row, both groups of work-items.  A team has two sides.  A
 * row multiplies by matrix units, and has one side for left factors and two for right factors. */
#include "lib/expression/expression_text.h"

#include <stdarg.h>
#include <stdio.h>

#include "lib/base/ceil_div.h"

enum { SIDES = 2, NOTHING = -1 };
static const char *const kinds[] = {[EXPRESSION_TEAMS] = "team", [EXPRESSION_ROWS] = "row"};

struct writer {
    const struct expression *e;
    const int8_t *place;
    uint64_t needed, loaded; /* nodes */
    uint32_t words;
    enum expression_kernel kernel;
    const char *kind; /* the prefix of the functions' names */
    bool keep;
    /* The nodes whose values are now in buffers of local memory as factors of products.  `left` is
     * used only in kernels that multiply by matrix units. */
    int side[SIDES], left;
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

static bool is_product(const struct expression_node *node) {
    return node->kind == EXPRESSION_PRODUCT || node->kind == EXPRESSION_LOW;
}

/* ---- the head */

/* Returns the length of the longest factor of a product, in chunks of 64 words. */
static unsigned longest_factor(const struct writer *w) {
    uint32_t most = 0;
    for (unsigned i = 0; i < w->e->nodes; i++)
        if (is_needed(w, i) && is_product(node_of(w, i)) &&
            words_of(w, node_of(w, i)->term[0]) > most)
            most = words_of(w, node_of(w, i)->term[0]);
    return (unsigned)ceil_div(most, BATCH_CHUNK);
}

static unsigned has_full_product(const struct writer *w) {
    for (unsigned i = 0; i < w->e->nodes; i++)
        if (is_needed(w, i) && node_of(w, i)->kind == EXPRESSION_PRODUCT)
            return 1;
    return 0;
}

/* Returns how many registers a work-item needs for node i. */
static unsigned registers_of(const struct writer *w, unsigned i) {
    return w->kernel == EXPRESSION_ROWS ? 2 * (unsigned)ceil_div(words_of(w, i), BATCH_CHUNK)
                                        : EXPRESSION_SPAN;
}

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
    put(w, ") {\n");
    if (w->kernel == EXPRESSION_ROWS)
        put(w, "    EXPRESSION_ROW(%u, %u);\n", longest_factor(w), has_full_product(w));
    else
        put(w, "    EXPRESSION_TEAM(%u);\n", expression_items(w->e, w->words));
    for (unsigned i = 0; i < w->e->nodes; i++)
        if (is_needed(w, i))
            put(w, "    u32 x%u[%u];\n", i, registers_of(w, i));
}

/* ---- nodes */

/* Writes code that loads those operands of the expression that a node uses, before their first
 * use. */
static void put_loads(struct writer *w, const struct expression_node *node) {
    for (unsigned k = 0; k < node->terms; k++) {
        unsigned i = node->term[k];
        if (i < w->e->operands && !(w->loaded >> i & 1)) {
            put(w, "    %s_load(x%u, u%u, %u, t);\n", w->kind, i, node_of(w, i)->term[0], w->words);
            w->loaded |= UINT64_C(1) << i;
        }
    }
}

static bool is_factor_after(const struct writer *w, unsigned i, int node) {
    for (unsigned k = i + 1; k < w->e->nodes; k++) {
        const struct expression_node *n = node_of(w, k);
        if (is_needed(w, k) && is_product(n) && (n->term[0] == node || n->term[1] == node))
            return true;
    }
    return false;
}

static int side_of(const struct writer *w, int node) {
    return w->side[0] == node ? 0 : w->side[1] == node ? 1 : NOTHING;
}

/* Writes code that copies a factor of node i to a buffer of local memory (a side).  Does not
 * overwrite the buffer that contains node `other`.  Prefers a buffer whose node is no factor any
 * more.  Returns the buffer's index. */
static int put_factor(struct writer *w, unsigned i, int factor, int other) {
    static const char *const puts[][SIDES] = {
        [EXPRESSION_TEAMS] = {"team_put(side_u", "team_put(side_v"},
        [EXPRESSION_ROWS] = {"row_put_right(0", "row_put_right(1"}};
    int side = side_of(w, factor);
    if (side != NOTHING)
        return side;
    side = w->side[0] == other || (w->side[1] != other && is_factor_after(w, i, w->side[0]) &&
                                   !is_factor_after(w, i, w->side[1]));
    put(w, "    %s, x%d, %u, t);\n", puts[w->kernel][side], factor, words_of(w, (unsigned)factor));
    w->side[side] = factor;
    return side;
}

/* Writes code for a product by matrix units.  Such kernels have one buffer for left factors and two
 * for right factors.  A factor that is already in the left buffer becomes the left factor.
 * Otherwise prefers as left factor one that is in no right buffer. */
static void put_row_product(struct writer *w, unsigned i, const struct expression_node *node) {
    int u = node->term[0], v = node->term[1];
    if (w->left != u && (w->left == v || (side_of(w, v) == NOTHING && side_of(w, u) != NOTHING)))
        v = u, u = node->term[1];
    if (w->left != u)
        put(w, "    row_put_left(x%d, %u, t);\n", u, words_of(w, (unsigned)u));
    w->left = u;
    put(w, "    row_multiply(x%u, %d, %u, %u, t);\n", i, put_factor(w, i, v, NOTHING - 1),
        words_of(w, (unsigned)u), words_of(w, i));
}

static void put_team_product(struct writer *w, unsigned i, const struct expression_node *node) {
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
        put(w, "    %s_begin(x%u, reaches, x%u, %u);\n", w->kind, i, node->term[first],
            words_of(w, i));
    else
        put(w, "    %s_begin_zero(x%u, reaches, %u);\n", w->kind, i, words_of(w, i));
    for (unsigned k = 0; k < node->terms; k++) {
        bool minus = node->minus >> k & 1;
        negatives += minus;
        if (k != first)
            put(w, "    %s_add(x%u, reaches, x%u, %s, %u);\n", w->kind, i, node->term[k],
                minus ? "~0u" : "0u", words_of(w, i));
    }
    put(w, "    %s_sum(x%u, reaches, %u, %u, t);\n", w->kind, i, negatives, words_of(w, i));
}

static void put_node(struct writer *w, unsigned i) {
    const struct expression_node *node = node_of(w, i);
    int result = expression_result_of(w->e, i);
    put_loads(w, node);
    if (node->kind == EXPRESSION_SUM)
        put_sum(w, i, node);
    else if (node->kind == EXPRESSION_RESIZE)
        put(w, "    %s_resize(x%u, %u, x%u, %u, t);\n", w->kind, i, words_of(w, i), node->term[0],
            words_of(w, node->term[0]));
    else if (w->kernel == EXPRESSION_ROWS)
        put_row_product(w, i, node);
    else
        put_team_product(w, i, node);
    if (result >= 0)
        put(w, "    %s_store(r%d, x%u, %u, t);\n", w->kind, result, i, words_of(w, i));
    else if (is_kept(w, i))
        put(w, "    %s_store(k%d, x%u, %u, t);\n", w->kind, w->place[i], i, words_of(w, i));
}

uint32_t expression_items(const struct expression *e, uint32_t words) {
    return (uint32_t)ceil_div(expression_most_times(e) * words, EXPRESSION_SPAN);
}

uint32_t expression_numbers(enum expression_kernel kernel, const struct expression *e,
                            uint32_t words) {
    enum { ROWS = BATCH_MUL_THREADS / 32 };
    return kernel == EXPRESSION_ROWS ? ROWS
                                     : EXPRESSION_MOST_ITEMS / expression_items(e, words) * ROWS;
}

void expression_text(enum expression_kernel kernel, const struct expression *e, uint32_t words,
                     bool keep, const int8_t place[EXPRESSION_NODES], char text[EXPRESSION_TEXT]) {
    struct writer w = {.e = e,
                       .place = place,
                       .needed = expression_needed(e),
                       .words = words,
                       .kernel = kernel,
                       .kind = kinds[kernel],
                       .keep = keep,
                       .side = {NOTHING, NOTHING},
                       .left = NOTHING,
                       .text = text};
    text[0] = '\0';
    put_head(&w);
    for (unsigned i = 0; i < e->nodes; i++)
        if (is_needed(&w, i) && e->node[i].kind != EXPRESSION_OPERAND)
            put_node(&w, i);
    put(&w, "}\n");
}
