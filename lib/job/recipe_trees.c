/* SPDX-License-Identifier: LGPL-3.0-or-later
 * The recipes (functions that compute a job on the device) of product and remainder trees whose
 * levels stay in device memory, and of binary splitting. */
#include <stdlib.h>

#include "lib/calc/calc_check.h"
#include "lib/calc/calc_reciprocal.h"
#include "lib/job/job.h"
#include "lib/trees/tree_build.h"
#include "lib/trees/tree_remainders.h"
#include "lib/trees/tree_split.h"

/* Returns the plan of the job's tree. Fails the operation if memory is short. */
static struct tree_plan *begin(struct calc *c, const struct job *j) {
    struct tree_plan *plan = job_tree_plan(j);
    if (!plan && c->status == GPU_OK)
        c->status = GPU_NOMEM;
    return plan;
}

/* ---- the levels */

void recipe_tree_build(struct calc *c, struct job *j) {
    struct tree_plan *plan = begin(c, j);
    struct tree_build t = {.plan = plan,
                           .mem = j->r[JOB_TREE].mem,
                           .leaves = j->u[0].host,
                           .from = 2 * j->parameter[JOB_FROM],
                           .top = j->r[JOB_TOP].host};
    if (!plan)
        return;
    tree_build(c, &t);
    j->r[JOB_TOP].delivered = j->r[JOB_TOP].n;
    j->r[JOB_TREE].residue = t.residue;
    j->u[0].residue = t.of_leaves;
    j->r[JOB_TREE].has_residue = j->u[0].has_residue = t.is_checked;
    tree_plan_free(plan);
}

/* ---- the root */

void recipe_tree_root(struct calc *c, struct job *j) {
    const struct job_ref *tree = &j->u[JOB_TREE];
    struct tree_plan *plan = begin(c, j);
    if (!plan)
        return;
    const struct number root = tree_root(plan, tree->mem);
    tree_plan_free(plan);
    job_deliver(c, j, 0, root);
    if (tree->has_residue)
        calc_demand_residue(c, root, tree->residue);
}

/* ---- remainders */

void recipe_tree_remainders(struct calc *c, struct job *j) {
    const struct job_ref *tree = &j->u[JOB_TREE], *x = &j->u[JOB_DIVIDEND];
    const bool has_x = job_has_dividend(j);
    struct tree_plan *plan = begin(c, j);
    if (!plan)
        return;
    const struct tree_remainders t = {.plan = plan,
                                      .mem = tree->mem,
                                      .kind = has_x ? TREE_REMAINDER : TREE_COFACTOR,
                                      .x = has_x ? x->host : NULL,
                                      .x_limbs = has_x ? x->n : 0,
                                      .x_bits = j->parameter[JOB_DIVIDEND_BITS],
                                      .t = j->u[JOB_SCALE].host,
                                      .d_bits = j->parameter[JOB_ROOT_BITS],
                                      .first = j->u[JOB_FIRST_OF_TREE].host,
                                      .is_checked = tree->has_residue,
                                      .residue = has_x ? x->residue : tree->residue,
                                      .of_leaves = j->parameter[JOB_LEAVES_RESIDUE],
                                      .r = j->r[0].host};
    tree_remainders(c, &t);
    j->r[0].delivered = j->r[0].count * j->r[0].n;
    tree_plan_free(plan);
}

/* ---- binary splitting */

enum { BITS = sizeof(struct tree_split_bits) / sizeof(uint64_t) };

static bool is_node(const struct tree_split_bits *b, uint64_t most) {
    const uint64_t bits[BITS] = {b->p, b->q, b->t};
    for (unsigned k = 0; k < BITS; k++)
        if (bits[k] == 0 || bits[k] > most)
            return false;
    return true;
}

/* Returns upper bounds of the bit lengths of each node's numbers p, q and t in binary splitting.
 * Returns NULL if the operand cannot be read or memory is short. The caller frees the bounds. */
static struct tree_split_bits *bits_of(struct calc *c, const struct job *j) {
    const uint64_t most = 64 * j->u[0].n - TREE_SPLIT_SPARE_BITS;
    const unsigned levels = (unsigned)j->parameter[JOB_LEVELS];
    const struct tree_split_bits *bottom =
        calc_enter(c, j->u[JOB_NODE_BITS].host, job_bytes(&j->u[JOB_NODE_BITS]));
    if (!bottom)
        return NULL;
    struct tree_split_bits *bits = tree_split_all_bits(bottom, levels);
    calc_leave(c);
    if (!bits)
        c->status = GPU_NOMEM;
    for (uint64_t i = 0; bits && i >> levels == 0; i++)
        if (!is_node(&bits[i], most))
            c->status = GPU_FAILED;
    return bits;
}

static uint64_t answer_of(const uint64_t *signs) {
    const uint64_t p = signs[0] & 1, q = signs[0] >> 32 & 1, t = signs[1] & 1;
    return JOB_RESULT_IS_NEGATIVE * (p | q << 1 | t << 2);
}

void recipe_tree_split(struct calc *c, struct job *j) {
    struct tree_split_bits *bits = bits_of(c, j);
    struct tree_split s = {.levels = (unsigned)j->parameter[JOB_LEVELS],
                           .words = 2 * j->u[0].n,
                           .limbs = j->u[0].host,
                           .negative = (const uint32_t *)j->u[JOB_SIGNS].host,
                           .bits = bits,
                           .needs_p = j->r[0].count > 0};
    if (c->status == GPU_OK)
        tree_split(c, &s);
    for (unsigned k = 0; k < j->results; k++)
        job_deliver(c, j, k, s.result[k]);
    j->answer = answer_of(s.signs);
    free(bits);
}
