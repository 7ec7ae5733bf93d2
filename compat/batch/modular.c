/* SPDX-License-Identifier: LGPL-3.0-or-later
 * Operations on batches modulo numbers (include/mpgpu.h). */
#include "compat/batch/modulus.h"
#include "lib/operate/batches/barrett_run.h"
#include "lib/operate/batches/modular_run.h"

enum { U, V, M, KNOWN }; /* operands; V is u again where there is none, KNOWN m */

static bool is_power(const struct modular_step *step) {
    return step->kind == MODULAR_KIND_POW || step->kind == MODULAR_KIND_POW_SECURE;
}

static bool fits_second(const struct modular_step *step, const mpgpu_batch *v) {
    if (step->kind == MODULAR_KIND_REDUCE)
        return true;
    return is_power(step) ? v->count == 1 || v->count == step->count
                          : v->count == step->count && v->n == step->n;
}

static int fits(const struct batch_task *t) {
    const struct modular_step *step = t->info;
    const mpgpu_batch *r = t->r[0];
    bool is_double = step->kind == MODULAR_KIND_REDUCE && step->u_limbs == 2 * step->n;
    return r && r->count == step->count && r->n == step->n &&
           (step->u_limbs == step->n || is_double) && fits_second(step, t->u[V]) &&
           (step->m_count == 1 || step->m_count == step->count);
}

/* The step for the numbers that this task has. */
static struct modular_step step_of(const struct batch_task *t) {
    struct modular_step step = *(const struct modular_step *)t->info;
    step.count = t->u[U]->count;
    step.e_count = t->u[V]->count;
    step.m_count = t->u[M]->count;
    return step;
}

static int by_gmp(const struct batch_task *t, mp_limb_t *const *rp, const mp_limb_t *const *up) {
    const struct modular_step step = step_of(t);
    return modular_by_gmp(&step, rp[0], up[U], up[V], up[M]);
}

static enum outcome run(const struct batch_task *t, const gpu_mem *r, const gpu_mem *u,
                        struct kept *kept) {
    const struct modular_step step = step_of(t);
    if (t->u[KNOWN] == t->u[M]) /* too long */
        return OUTCOME_SIZE;
    const struct modular_operation op = {.kind = step.kind,
                                         .count = step.count,
                                         .words = 2 * (uint32_t)step.n,
                                         .u_words = 2 * (uint32_t)step.u_limbs,
                                         .exponent_words = 2 * (uint32_t)step.e_limbs,
                                         .is_one_exponent = step.e_count == 1,
                                         .r = r[0],
                                         .u = u[U],
                                         .v = u[V],
                                         .moduli = {u[M], u[KNOWN], step.m_count == 1}};
    const struct barrett_operation b = {op, step.is_normal};
    return step.is_barrett ? barrett_run(&b, kept) : modular_run(&op, kept);
}

static enum call_row row_of(enum modular_kind kind) {
    switch (kind) {
    case MODULAR_KIND_MUL:
        return ROW_mpgpu_batch_mod_mul;
    case MODULAR_KIND_POW:
    case MODULAR_KIND_POW_SECURE:
        return ROW_mpgpu_batch_mod_pow;
    default:
        return ROW_mpgpu_batch_mod;
    }
}

static int perform(enum modular_kind kind, mpgpu_batch *r, mpgpu_batch *u, mpgpu_batch *v,
                   mpgpu_batch_modulus *m) {
    if (!u || !v || !m || (kind == MODULAR_KIND_POW_SECURE && m->is_even))
        return batch_fail(MPGPU_ARGUMENTS);
    const struct modular_step step = {.kind = kind,
                                      .count = u->count,
                                      .n = m->m->n,
                                      .u_limbs = u->n,
                                      .e_limbs = v->n,
                                      .e_count = v->count,
                                      .m_count = m->m->count,
                                      .is_barrett = m->is_barrett,
                                      .is_normal = m->is_normal};
    struct batch_task t = {.row = row_of(kind),
                           .operands = 4,
                           .results = 1,
                           .u = {u, v, m->m, m->known ? m->known : m->m},
                           .r = {r},
                           .info = &step,
                           .by_counts = true,
                           .fits = fits,
                           .run = run,
                           .by_gmp = by_gmp};
    int error = batch_task_perform(&t);
    if (error != MPGPU_LOST || !modulus_is_renewed(m))
        return error;
    t.u[KNOWN] = m->known ? m->known : m->m;
    return batch_task_perform(&t);
}

EXPORT int mpgpu_batch_mod(mpgpu_batch *r, mpgpu_batch *u, mpgpu_batch_modulus *m) {
    return perform(MODULAR_KIND_REDUCE, r, u, u, m);
}

EXPORT int mpgpu_batch_mod_add(mpgpu_batch *r, mpgpu_batch *u, mpgpu_batch *v,
                               mpgpu_batch_modulus *m) {
    return perform(MODULAR_KIND_ADD, r, u, v, m);
}

EXPORT int mpgpu_batch_mod_sub(mpgpu_batch *r, mpgpu_batch *u, mpgpu_batch *v,
                               mpgpu_batch_modulus *m) {
    return perform(MODULAR_KIND_SUB, r, u, v, m);
}

EXPORT int mpgpu_batch_mod_mul(mpgpu_batch *r, mpgpu_batch *u, mpgpu_batch *v,
                               mpgpu_batch_modulus *m) {
    return perform(MODULAR_KIND_MUL, r, u, v, m);
}

EXPORT int mpgpu_batch_mod_sqr(mpgpu_batch *r, mpgpu_batch *u, mpgpu_batch_modulus *m) {
    return perform(MODULAR_KIND_MUL, r, u, u, m);
}

EXPORT int mpgpu_batch_mod_pow(mpgpu_batch *r, mpgpu_batch *u, mpgpu_batch *e,
                               mpgpu_batch_modulus *m) {
    return perform(MODULAR_KIND_POW, r, u, e, m);
}

EXPORT int mpgpu_batch_mod_pow_sec(mpgpu_batch *r, mpgpu_batch *u, mpgpu_batch *e,
                                   mpgpu_batch_modulus *m) {
    return perform(MODULAR_KIND_POW_SECURE, r, u, e, m);
}
