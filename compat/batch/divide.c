/* SPDX-License-Identifier: LGPL-3.0-or-later
 * Quotients and remainders of batches (include/mpgpu.h). */
#include "compat/batch/look.h"
#include "compat/batch/task.h"
#include "lib/gmp/real.h"

enum { NUMERATOR, DIVISOR, QUOTIENT = 0, REMAINDER };

static int fits(const struct batch_task *t) {
    const mpgpu_batch *n = t->u[NUMERATOR], *d = t->u[DIVISOR];
    const mpgpu_batch *q = t->r[QUOTIENT], *r = t->r[REMAINDER];
    return (q || r) && q != r && (d->count == n->count || d->count == 1) && n->n >= d->n &&
           n->n <= 2 * d->n && (!q || (q->count == n->count && q->n == n->n)) &&
           (!r || (r->count == n->count && r->n == d->n));
}

static enum outcome run(const struct batch_task *t, const gpu_mem *r, const gpu_mem *u,
                        struct kept *kept) {
    const mpgpu_batch *n = t->u[NUMERATOR], *d = t->u[DIVISOR];
    if (d->n > EUCLID_MOST_WORDS / 2)
        return OUTCOME_SIZE;
    struct euclid_operation op = {.kind = EUCLID_DIVIDE,
                                  .v_is_one = d->count == 1,
                                  .count = n->count,
                                  .words = 2 * (uint32_t)d->n,
                                  .u_words = 2 * (uint32_t)n->n,
                                  .q = r[QUOTIENT],
                                  .r = r[REMAINDER],
                                  .u = u[NUMERATOR],
                                  .v = u[DIVISOR]};
    return euclid_run(&op, kept);
}

static int by_gmp(const struct batch_task *t, mp_limb_t *const *rp, const mp_limb_t *const *up) {
    const size_t nn = t->u[NUMERATOR]->n, dn = t->u[DIVISOR]->n;
    const bool is_one = t->u[DIVISOR]->count == 1;
    mpz_t q, r, n, d;
    mpz_init(q);
    mpz_init(r);
    for (size_t i = 0; i < t->u[NUMERATOR]->count; i++) {
        mpz_roinit_n(n, up[NUMERATOR] + i * nn, (mp_size_t)nn);
        mpz_roinit_n(d, up[DIVISOR] + (is_one ? 0 : i * dn), (mp_size_t)dn);
        mpz_tdiv_qr(q, r, n, d);
        if (rp[QUOTIENT])
            batch_limbs_of(rp[QUOTIENT] + i * nn, nn, q);
        if (rp[REMAINDER])
            batch_limbs_of(rp[REMAINDER] + i * dn, dn, r);
    }
    mpz_clear(q);
    mpz_clear(r);
    return 0;
}

EXPORT int mpgpu_batch_tdiv_qr(mpgpu_batch *q, mpgpu_batch *r, mpgpu_batch *n, mpgpu_batch *d) {
    const struct batch_task t = {.row = ROW_mpgpu_batch_tdiv_qr,
                                 .operands = 2,
                                 .results = 2,
                                 .u = {n, d},
                                 .r = {q, r},
                                 .by_counts = true,
                                 .fits = fits,
                                 .run = run,
                                 .by_gmp = by_gmp};
    struct euclid_found found;
    if (!n || !d || !fits(&t))
        return batch_fail(MPGPU_ARGUMENTS);
    int error = batch_look(d, &found);
    return error ? error : batch_task_perform(&t);
}
