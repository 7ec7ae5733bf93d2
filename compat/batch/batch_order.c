/* SPDX-License-Identifier: LGPL-3.0-or-later
 * Comparison and selection in batches (include/mpgpu.h). */
#include "compat/batch/task.h"

/* Operands are u and v; of a selection then c. */
static bool is_like(const mpgpu_batch *b, size_t count, size_t n) {
    return b && b->count == count && b->n == n;
}

static int compare_fits(const struct batch_task *t) {
    const mpgpu_batch *u = t->u[0];
    return is_like(t->u[1], u->count, u->n) && is_like(t->r[0], u->count, 1);
}

static int select_fits(const struct batch_task *t) {
    const mpgpu_batch *u = t->u[0];
    return is_like(t->u[1], u->count, u->n) && is_like(t->u[2], u->count, 1) &&
           is_like(t->r[0], u->count, u->n);
}

static enum outcome run(const struct batch_task *t, const gpu_mem *r, const gpu_mem *u,
                        struct kept *kept) {
    struct batch_order op = {.kind = t->operands == 2 ? BATCH_COMPARE : BATCH_SELECT,
                             .count = t->u[0]->count,
                             .words = 2 * (uint32_t)t->u[0]->n,
                             .r = r[0],
                             .u = u[0],
                             .v = u[1]};
    if (t->u[0]->n > UINT32_MAX / 4)
        return OUTCOME_SIZE;
    if (op.kind == BATCH_SELECT)
        op.c = u[2];
    return batch_run_order(&op, kept);
}

static int compare_by_gmp(const struct batch_task *t, mp_limb_t *const *rp,
                          const mp_limb_t *const *up) {
    size_t n = t->u[0]->n;
    for (size_t i = 0; i < t->u[0]->count; i++) {
        int order = mpn_cmp(up[0] + i * n, up[1] + i * n, (mp_size_t)n);
        rp[0][i] = order > 0 ? 1 : order < 0 ? ~(mp_limb_t)0 : 0;
    }
    return 0;
}

static int select_by_gmp(const struct batch_task *t, mp_limb_t *const *rp,
                         const mp_limb_t *const *up) {
    size_t n = t->u[0]->n;
    for (size_t i = 0; i < t->u[0]->count; i++)
        mpn_copyi(rp[0] + i * n, up[up[2][i] ? 0 : 1] + i * n, (mp_size_t)n);
    return 0;
}

EXPORT int mpgpu_batch_cmp(mpgpu_batch *r, mpgpu_batch *u, mpgpu_batch *v) {
    const struct batch_task t = {.row = ROW_mpgpu_batch_cmp,
                                 .operands = 2,
                                 .results = 1,
                                 .u = {u, v},
                                 .r = {r},
                                 .by_counts = true,
                                 .fits = compare_fits,
                                 .run = run,
                                 .by_gmp = compare_by_gmp};
    return batch_task_perform(&t);
}

EXPORT int mpgpu_batch_select(mpgpu_batch *r, mpgpu_batch *c, mpgpu_batch *u, mpgpu_batch *v) {
    const struct batch_task t = {.row = ROW_mpgpu_batch_select,
                                 .operands = 3,
                                 .results = 1,
                                 .u = {u, v, c},
                                 .r = {r},
                                 .by_counts = true,
                                 .fits = select_fits,
                                 .run = run,
                                 .by_gmp = select_by_gmp};
    return batch_task_perform(&t);
}
