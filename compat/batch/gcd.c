/* SPDX-License-Identifier: LGPL-3.0-or-later
 * Gcds and inverses of batches (include/mpgpu.h). */
#include "compat/batch/look.h"
#include "compat/batch/modulus.h"
#include "lib/gmp/real.h"

/* ---- gcds */

static int gcd_fits(const struct batch_task *t) {
    const mpgpu_batch *u = t->u[0], *v = t->u[1], *r = t->r[0];
    return r && v->count == u->count && v->n == u->n && r->count == u->count && r->n == u->n;
}

static enum outcome gcd_run(const struct batch_task *t, const gpu_mem *r, const gpu_mem *u,
                            struct kept *kept) {
    if (t->u[0]->n > EUCLID_MOST_WORDS / 2)
        return OUTCOME_SIZE;
    struct euclid_operation op = {.kind = EUCLID_GCD,
                                  .count = t->u[0]->count,
                                  .words = 2 * (uint32_t)t->u[0]->n,
                                  .r = r[0],
                                  .u = u[0],
                                  .v = u[1]};
    return euclid_run(&op, kept);
}

static int gcd_by_gmp(const struct batch_task *t, mp_limb_t *const *rp,
                      const mp_limb_t *const *up) {
    const size_t n = t->u[0]->n;
    mpz_t g, u, v;
    mpz_init(g);
    for (size_t i = 0; i < t->u[0]->count; i++) {
        mpz_roinit_n(u, up[0] + i * n, (mp_size_t)n);
        mpz_roinit_n(v, up[1] + i * n, (mp_size_t)n);
        mpz_gcd(g, u, v);
        batch_limbs_of(rp[0] + i * n, n, g);
    }
    mpz_clear(g);
    return 0;
}

EXPORT int mpgpu_batch_gcd(mpgpu_batch *r, mpgpu_batch *u, mpgpu_batch *v) {
    const struct batch_task t = {.row = ROW_mpgpu_batch_gcd,
                                 .operands = 2,
                                 .results = 1,
                                 .u = {u, v},
                                 .r = {r},
                                 .by_counts = true,
                                 .fits = gcd_fits,
                                 .run = gcd_run,
                                 .by_gmp = gcd_by_gmp};
    return !u || !v ? batch_fail(MPGPU_ARGUMENTS) : batch_task_perform(&t);
}

/* ---- inverses */

static int inverse_fits(const struct batch_task *t) {
    const mpgpu_batch *u = t->u[0], *m = t->u[1], *r = t->r[0], *exists = t->r[1];
    return r && exists && r != exists && exists != u && exists != m &&
           (m->count == u->count || m->count == 1) && m->n == u->n && r->count == u->count &&
           r->n == u->n && exists->count == u->count && exists->n == 1;
}

static enum outcome inverse_run(const struct batch_task *t, const gpu_mem *r, const gpu_mem *u,
                                struct kept *kept) {
    const struct euclid_found *found = t->info;
    if (t->u[0]->n > EUCLID_MOST_WORDS / 2)
        return OUTCOME_SIZE;
    struct euclid_operation op = {.kind = EUCLID_INVERSE,
                                  .v_is_one = t->u[1]->count == 1,
                                  .has_even = found->even > 0,
                                  .count = t->u[0]->count,
                                  .words = 2 * (uint32_t)t->u[0]->n,
                                  .r = r[0],
                                  .flags = r[1],
                                  .u = u[0],
                                  .v = u[1]};
    return euclid_run(&op, kept);
}

/* Modulo 1 all is 0, which is its own inverse; mpz_invert says what it likes. */
static void invert(mp_limb_t *rp, mp_limb_t *exists, size_t n, mpz_srcptr u, mpz_srcptr m,
                   mpz_ptr r) {
    const bool of_one = mpz_cmp_ui(m, 1) == 0;
    *exists = of_one || mpz_invert(r, u, m) != 0;
    if (*exists && !of_one)
        batch_limbs_of(rp, n, r);
    else
        mpn_zero(rp, (mp_size_t)n);
}

static int inverse_by_gmp(const struct batch_task *t, mp_limb_t *const *rp,
                          const mp_limb_t *const *up) {
    const size_t n = t->u[0]->n;
    const bool is_one = t->u[1]->count == 1;
    mpz_t r, u, m;
    mpz_init(r);
    for (size_t i = 0; i < t->u[0]->count; i++) {
        mpz_roinit_n(u, up[0] + i * n, (mp_size_t)n);
        mpz_roinit_n(m, up[1] + (is_one ? 0 : i * n), (mp_size_t)n);
        invert(rp[0] + i * n, rp[1] + i, n, u, m, r);
    }
    mpz_clear(r);
    return 0;
}

/* known: of m, or NULL. */
static int inverses(mpgpu_batch *r, mpgpu_batch *exists, mpgpu_batch *u, mpgpu_batch *m,
                    const struct euclid_found *known) {
    struct euclid_found found = known ? *known : (struct euclid_found){0};
    const struct batch_task t = {.row = ROW_mpgpu_batch_mod_inv,
                                 .operands = 2,
                                 .results = 2,
                                 .u = {u, m},
                                 .r = {r, exists},
                                 .info = &found,
                                 .by_counts = true,
                                 .fits = inverse_fits,
                                 .run = inverse_run,
                                 .by_gmp = inverse_by_gmp};
    if (!u || !inverse_fits(&t))
        return batch_fail(MPGPU_ARGUMENTS);
    int error = known ? 0 : batch_look(m, &found);
    return error ? error : batch_task_perform(&t);
}

EXPORT int mpgpu_batch_mod_inv(mpgpu_batch *r, mpgpu_batch *exists, mpgpu_batch *u,
                               mpgpu_batch *m) {
    return m ? inverses(r, exists, u, m, NULL) : batch_fail(MPGPU_ARGUMENTS);
}

EXPORT int mpgpu_batch_mod_invert(mpgpu_batch *r, mpgpu_batch *exists, mpgpu_batch *u,
                                  mpgpu_batch_modulus *m) {
    const struct euclid_found known = {.even = m && m->is_even};
    if (!m)
        return batch_fail(MPGPU_ARGUMENTS);
    int error = inverses(r, exists, u, m->m, &known);
    return error == MPGPU_LOST && modulus_is_renewed(m) ? inverses(r, exists, u, m->m, &known)
                                                        : error;
}
