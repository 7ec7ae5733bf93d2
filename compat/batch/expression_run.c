/* SPDX-License-Identifier: LGPL-3.0-or-later
 * Expressions (include/mpgpu.h) on batches: on the device, or by GMP. */
#include "compat/batch/expression.h"
#include "compat/batch/task.h"
#include "lib/gmp/real.h"

/* ---- by GMP: number after number, every node that is needed */

struct value {
    const mp_limb_t *limbs[EXPRESSION_NODES];
    mp_limb_t *memory; /* of nodes that are neither operands nor results */
};

static size_t limbs_between(const struct expression *e, size_t n) {
    uint64_t needed = expression_needed(e);
    size_t limbs = 0;
    for (unsigned i = e->operands; i < e->nodes; i++)
        if (needed >> i & 1 && expression_result_of(e, i) < 0)
            limbs += e->node[i].times * n;
    return limbs;
}

static void resize(mp_limb_t *rp, size_t rn, const mp_limb_t *up, size_t un) {
    mpn_copyi(rp, up, (mp_size_t)(rn < un ? rn : un));
    if (rn > un)
        mpn_zero(rp + un, (mp_size_t)(rn - un));
}

static void compute_node(const struct expression *e, const struct value *v, unsigned i, size_t n,
                         mp_limb_t *rp) {
    const struct expression_node *node = &e->node[i];
    const mp_limb_t *term[BATCH_TERMS];
    size_t un = e->node[node->term[0]].times * n;
    struct batch_step step = {.kind = node->kind == EXPRESSION_SUM       ? BATCH_SUM
                                      : node->kind == EXPRESSION_PRODUCT ? BATCH_PRODUCT
                                                                         : BATCH_LOW,
                              .count = 1,
                              .n = un,
                              .terms = node->terms,
                              .minus = node->minus};
    for (unsigned k = 0; k < node->terms; k++)
        term[k] = v->limbs[node->term[k]];
    if (node->kind == EXPRESSION_RESIZE)
        resize(rp, node->times * n, term[0], un);
    else
        batch_by_gmp(&step, rp, NULL, term);
}

static void compute_number(const struct expression *e, struct value *v, uint64_t number, size_t n,
                           mp_limb_t *const *rp, const mp_limb_t *const *up) {
    uint64_t needed = expression_needed(e);
    mp_limb_t *next = v->memory;
    for (unsigned i = 0; i < e->nodes; i++) {
        size_t limbs = e->node[i].times * n;
        int result = expression_result_of(e, i);
        mp_limb_t *to = result >= 0 ? rp[result] + number * limbs : next;
        v->limbs[i] = i < e->operands ? up[i] + number * n : to;
        if (i < e->operands || !(needed >> i & 1))
            continue;
        compute_node(e, v, i, n, to);
        if (result < 0)
            next += limbs;
    }
}

static int by_gmp(const struct batch_task *t, mp_limb_t *const *rp, const mp_limb_t *const *up) {
    const mpgpu_expression *e = t->info;
    size_t n = t->u[0]->n;
    mpz_t between;
    mpz_init2(between, GMP_NUMB_BITS * (limbs_between(&e->e, n) + 1));
    struct value v = {.memory = between->_mp_d};
    for (size_t i = 0; i < t->u[0]->count; i++)
        compute_number(&e->e, &v, i, n, rp, up);
    mpz_clear(between);
    return 0;
}

/* ---- on the device */

static enum outcome run(const struct batch_task *t, const gpu_mem *r, const gpu_mem *u,
                        struct kept *kept) {
    const mpgpu_expression *e = t->info;
    if (t->u[0]->n > BATCH_MOST_SUM_WORDS / 2)
        return OUTCOME_SIZE;
    struct expression_operation op = {
        .e = e->e, .count = t->u[0]->count, .words = 2 * (uint32_t)t->u[0]->n};
    for (unsigned k = 0; k < t->results; k++)
        op.r[k] = r[k];
    for (unsigned k = 0; k < t->operands; k++)
        op.u[k] = u[k];
    return batch_run_expression(&op, kept);
}

/* ---- either */

static int fits(const struct batch_task *t) {
    const mpgpu_expression *e = t->info;
    size_t count = t->u[0]->count, n = t->u[0]->n;
    for (unsigned k = 0; k < t->operands; k++)
        if (t->u[k]->count != count || t->u[k]->n != n)
            return 0;
    for (unsigned k = 0; k < t->results; k++)
        if (!t->r[k] || t->r[k]->count != count || t->r[k]->n != mpgpu_expression_times(e, k) * n)
            return 0;
    return 1;
}

EXPORT int mpgpu_expression_run(const mpgpu_expression *e, mpgpu_batch *const *r,
                                mpgpu_batch *const *u) {
    if (!e || !e->is_finished)
        return batch_fail_text(MPGPU_ARGUMENTS, "an expression that is not finished");
    if (!r || !u)
        return batch_fail(MPGPU_ARGUMENTS);
    struct batch_task t = {.row = ROW_mpgpu_expression_run,
                           .operands = e->e.operands,
                           .results = e->e.results,
                           .info = e,
                           .by_counts = true,
                           .fits = fits,
                           .run = run,
                           .by_gmp = by_gmp};
    for (unsigned k = 0; k < t.operands; k++)
        t.u[k] = u[k];
    for (unsigned k = 0; k < t.results; k++)
        t.r[k] = r[k];
    return batch_task_perform(&t);
}
