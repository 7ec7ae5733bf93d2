/* SPDX-License-Identifier: LGPL-3.0-or-later
 * The recipes of trees whose levels stay in memory of the device, and of binary splitting.
 * A recipe computes the layout of a tree from its leaves' count and length. */
#include <stdlib.h>

#include "lib/calc/calc_check.h"
#include "lib/calc/calc_reciprocal.h"
#include "lib/job/job.h"
#include "lib/trees/tree_build.h"
#include "lib/trees/tree_remainders.h"
#include "lib/trees/tree_split.h"

/* ---- the layout */

/* Returns the plan of the job's tree, or NULL if there is none.  The caller frees it. */
static struct tree_plan *plan_of(const struct job *j) {
    const uint64_t count = j->parameter[JOB_LEAVES], limbs = j->parameter[JOB_LEAF_LIMBS];
    const bool is_possible = count > 0 && limbs > 0 && limbs % 2 == 0 && limbs <= UINT32_MAX;
    return is_possible ? tree_plan_create(count, 2 * limbs) : NULL;
}

/* Returns the words of the root, or 0 if *tree is not the device's memory of such a tree. */
static uint64_t root_words(const struct job *j, const struct job_ref *tree) {
    struct tree_plan *plan = job_is_on_device(tree) ? plan_of(j) : NULL;
    const bool is_tree = plan && tree->count == 1 && 2 * tree->n == plan->words;
    const uint64_t words = is_tree ? tree_root(plan, tree->mem).words : 0;
    tree_plan_free(plan);
    return words;
}

/* The plan in the device's thread. */
static struct tree_plan *begin(struct calc *c, const struct job *j) {
    struct tree_plan *plan = plan_of(j);
    if (!plan && c->status == GPU_OK)
        c->status = GPU_NOMEM;
    return plan;
}

/* ---- the levels */

bool job_fits_tree_build(const struct job *j) {
    const uint64_t count = j->parameter[JOB_LEAVES], from = j->parameter[JOB_FROM];
    const struct job_ref *leaves = &j->u[0];
    const uint64_t words = job_has(j, 1, 2) ? root_words(j, &j->r[JOB_TREE]) : 0;
    return words > 0 && job_is_on_host(leaves) && leaves->n == j->parameter[JOB_LEAF_LIMBS] &&
           leaves->count == count + (count > 1 && count % 2) && from % 2 == 0 && from < words / 2 &&
           job_is_on_host(&j->r[JOB_TOP]) && j->r[JOB_TOP].count == 1 &&
           j->r[JOB_TOP].n == words / 2 - from;
}

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

bool job_fits_tree_root(const struct job *j) {
    const struct job_ref *r = &j->r[0];
    return job_has(j, 1, 1) && job_is_on_host(r) && r->count == 1 &&
           2 * r->n <= root_words(j, &j->u[JOB_TREE]);
}

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

static enum tree_kind kind_of(const struct job *j) {
    return j->operands > JOB_DIVIDEND ? TREE_REMAINDER : TREE_COFACTOR;
}

static bool is_dividend(const struct job *j) {
    const struct job_ref *x = &j->u[JOB_DIVIDEND];
    return kind_of(j) == TREE_COFACTOR || (job_is_on_host(x) && x->count == 1 &&
                                           job_is_length(j->parameter[JOB_DIVIDEND_BITS], x->n) &&
                                           x->has_residue == j->u[JOB_TREE].has_residue);
}

uint64_t job_tree_first_limbs(const struct job *j, uint64_t words) {
    return calc_reciprocal_first_limbs(tree_reciprocal_quads(
        kind_of(j), words, j->parameter[JOB_DIVIDEND_BITS], j->parameter[JOB_ROOT_BITS]));
}

bool job_fits_tree_remainders(const struct job *j) {
    const struct job_ref *by = &j->u[JOB_SCALE], *first = &j->u[JOB_FIRST_OF_TREE], *r = &j->r[0];
    const uint64_t bits = j->parameter[JOB_ROOT_BITS];
    if (!(job_has(j, 3, 1) || job_has(j, 4, 1)) || !is_dividend(j))
        return false;
    const uint64_t words = root_words(j, &j->u[JOB_TREE]);
    return words > 0 && job_is_on_host(r) && r->count == j->parameter[JOB_LEAVES] &&
           r->n == j->parameter[JOB_LEAF_LIMBS] && job_is_on_host(by) && by->count == 1 &&
           by->n == 2 && bits > 0 && bits <= 32 * words + 64 && job_is_on_host(first) &&
           first->count == 1 && first->n == job_tree_first_limbs(j, words);
}

void recipe_tree_remainders(struct calc *c, struct job *j) {
    const struct job_ref *tree = &j->u[JOB_TREE], *x = &j->u[JOB_DIVIDEND];
    const bool has_x = kind_of(j) == TREE_REMAINDER;
    struct tree_plan *plan = begin(c, j);
    if (!plan)
        return;
    const struct tree_remainders t = {.plan = plan,
                                      .mem = tree->mem,
                                      .kind = kind_of(j),
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

bool job_fits_tree_split(const struct job *j) {
    const uint64_t levels = j->parameter[JOB_LEVELS];
    const struct job_ref *x = &j->u[0], *signs = &j->u[JOB_SIGNS], *bits = &j->u[JOB_NODE_BITS];
    if (!job_has(j, 3, 3) || levels < 1 || levels > JOB_MOST_SPLIT_LEVELS)
        return false;
    const uint64_t count = UINT64_C(1) << levels;
    for (unsigned k = 0; k < j->results; k++)
        if (j->r[k].count != 0 && !(job_is_on_host(&j->r[k]) && j->r[k].count == 1))
            return false;
    return job_is_on_host(x) && x->count == 3 * count && x->n % 2 == 0 && x->n <= UINT32_MAX &&
           job_is_on_host(signs) && signs->count == 1 && signs->n == (3 * count + 1) / 2 &&
           job_is_on_host(bits) && bits->count == count && bits->n == BITS && j->r[1].count &&
           j->r[2].count;
}

static bool is_node(const struct tree_split_bits *b, uint64_t most) {
    const uint64_t bits[BITS] = {b->p, b->q, b->t};
    for (unsigned k = 0; k < BITS; k++)
        if (bits[k] == 0 || bits[k] > most)
            return false;
    return true;
}

/* Returns the bits of all nodes, or NULL if they cannot be computed.  The caller frees them. */
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
