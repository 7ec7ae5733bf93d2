/* SPDX-License-Identifier: LGPL-3.0-or-later
 * Computes the layout of product trees in device memory. */
#include "lib/trees/tree_plan.h"

#include <stdlib.h>

#include "lib/multiply/batch.h"

static const uint64_t most_words = UINT64_C(1) << 36; /* of all leaves */

void tree_plan_free(struct tree_plan *plan) {
    for (unsigned k = 0; plan && k < TREE_LEVELS; k++)
        free(plan->level[k].node);
    free(plan);
}

struct number tree_number(const struct tree_plan *plan, gpu_mem mem, unsigned level, uint64_t i) {
    const struct tree_level *l = &plan->level[level];
    if (level > plan->batches)
        return (struct number){mem, l->node[i].at, l->node[i].words};
    return (struct number){mem, l->at + i * l->words, l->words};
}

static void add_batch(struct tree_plan *plan, unsigned k, uint64_t nodes, uint64_t words) {
    uint64_t slots = nodes > 1 ? nodes + nodes % 2 : 1;
    plan->level[k] =
        (struct tree_level){.nodes = nodes, .slots = slots, .at = plan->words, .words = words};
    plan->words += slots * words;
    plan->top = plan->batches = k;
}

static bool add_numbers(struct tree_plan *plan, unsigned k, uint64_t nodes) {
    struct tree_level *l = &plan->level[k];
    *l = (struct tree_level){.nodes = nodes, .slots = nodes > 1 ? nodes + nodes % 2 : 1};
    l->node = calloc(nodes, sizeof *l->node);
    plan->top = k;
    for (uint64_t i = 0; i < nodes && l->node; i++) {
        const gpu_mem none = {0};
        struct number low = tree_number(plan, none, k - 1, i);
        l->node[i] = (struct tree_node){low.at, low.words};
        if (tree_is_lone(plan, k, i))
            continue;
        low.words += tree_number(plan, none, k - 1, i + nodes).words;
        l->node[i] = (struct tree_node){plan->words, low.words};
        plan->words += low.words;
    }
    return l->node;
}

/* Adds the level above the current top level to the plan. */
static bool add_level(struct tree_plan *plan) {
    unsigned k = plan->top + 1;
    const struct tree_level *below = &plan->level[k - 1];
    if (below->words > 0 && below->words <= BATCH_MOST_WORDS) {
        add_batch(plan, k, below->slots / 2, 2 * below->words);
        return true;
    }
    return add_numbers(plan, k, below->slots / 2);
}

struct tree_plan *tree_plan_create(uint64_t count, uint64_t words) {
    struct tree_plan *plan = count > most_words / words ? NULL : calloc(1, sizeof *plan);
    if (!plan)
        return NULL;
    add_batch(plan, 0, count, words);
    while (plan->level[plan->top].nodes > 1)
        if (!add_level(plan)) {
            tree_plan_free(plan);
            return NULL;
        }
    return plan;
}
