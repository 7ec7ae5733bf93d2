/* SPDX-License-Identifier: LGPL-3.0-or-later
 * Sums and products of batches (include/mpgpu.h). */
#include "compat/batch/task.h"

static int fits(const struct batch_task *t) {
    const struct batch_step *step = t->info;
    const mpgpu_batch *r = t->r[0], *cy = t->r[1];
    for (unsigned k = 0; k < t->operands; k++)
        if (t->u[k]->n != step->n || t->u[k]->count != step->count || t->u[k] == cy)
            return 0;
    if (!r || r->count != step->count || r->n != (step->kind == BATCH_PRODUCT ? 2 : 1) * step->n)
        return 0;
    return !cy || (cy->count == step->count && cy->n == 1);
}

static int by_gmp(const struct batch_task *t, mp_limb_t *const *rp, const mp_limb_t *const *up) {
    struct batch_step step = *(const struct batch_step *)t->info;
    step.count = t->u[0]->count;
    batch_by_gmp(&step, rp[0], rp[1], up);
    return 0;
}

static enum outcome run(const struct batch_task *t, const gpu_mem *r, const gpu_mem *u,
                        struct kept *kept) {
    const struct batch_step *step = t->info;
    size_t most = step->kind == BATCH_SUM ? BATCH_MOST_SUM_WORDS : BATCH_MOST_WORDS;
    if (step->n > most / 2)
        return OUTCOME_SIZE;
    struct batch_operation op = {.kind = step->kind,
                                 .borrows = step->borrows,
                                 .count = t->u[0]->count,
                                 .words = 2 * (uint32_t)step->n,
                                 .terms = step->terms,
                                 .negated = step->minus,
                                 .r = r[0],
                                 .carries = r[1]};
    for (unsigned k = 0; k < step->terms; k++)
        op.term[k] = u[k];
    return batch_run(&op, kept);
}

static int perform(struct batch_step *step, mpgpu_batch *r, mpgpu_batch *cy,
                   mpgpu_batch *const *u) {
    struct batch_task t = {.row =
                               step->kind == BATCH_SUM ? ROW_mpgpu_batch_sum : ROW_mpgpu_batch_mul,
                           .operands = step->terms,
                           .results = 2,
                           .r = {r, cy},
                           .info = step,
                           .by_counts = true,
                           .fits = fits,
                           .run = run,
                           .by_gmp = by_gmp};
    if (step->terms == 0 || step->terms > MPGPU_TERMS || !u || !u[0])
        return batch_fail(MPGPU_ARGUMENTS);
    for (unsigned k = 0; k < step->terms; k++)
        t.u[k] = u[k];
    step->count = u[0]->count;
    step->n = u[0]->n;
    return batch_task_perform(&t);
}

static int two(enum batch_kind kind, int subtract, mpgpu_batch *r, mpgpu_batch *cy, mpgpu_batch *u,
               mpgpu_batch *v) {
    mpgpu_batch *const terms[] = {u, v};
    struct batch_step step = {
        .kind = kind, .borrows = subtract, .terms = 2, .minus = subtract ? 2 : 0};
    return perform(&step, r, cy, terms);
}

EXPORT int mpgpu_batch_add(mpgpu_batch *r, mpgpu_batch *cy, mpgpu_batch *u, mpgpu_batch *v) {
    return two(BATCH_SUM, 0, r, cy, u, v);
}

EXPORT int mpgpu_batch_sub(mpgpu_batch *r, mpgpu_batch *cy, mpgpu_batch *u, mpgpu_batch *v) {
    return two(BATCH_SUM, 1, r, cy, u, v);
}

EXPORT int mpgpu_batch_mul(mpgpu_batch *r, mpgpu_batch *u, mpgpu_batch *v) {
    return two(BATCH_PRODUCT, 0, r, NULL, u, v);
}

EXPORT int mpgpu_batch_mullo(mpgpu_batch *r, mpgpu_batch *u, mpgpu_batch *v) {
    return two(BATCH_LOW, 0, r, NULL, u, v);
}

EXPORT int mpgpu_batch_sqr(mpgpu_batch *r, mpgpu_batch *u) {
    return two(BATCH_PRODUCT, 0, r, NULL, u, u);
}

EXPORT int mpgpu_batch_sum(mpgpu_batch *r, mpgpu_batch *cy, mpgpu_batch *const *u, unsigned terms,
                           unsigned minus) {
    struct batch_step step = {.kind = BATCH_SUM, .terms = terms, .minus = minus};
    return perform(&step, r, cy, u);
}
