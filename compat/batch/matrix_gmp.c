/* SPDX-License-Identifier: LGPL-3.0-or-later
 * Computes products of matrices on the host, with GMP's functions. */
#include "compat/batch/batch_gmp.h"

#include "lib/gmp/normalize.h"

static bool is_negative(const mp_limb_t *xp, size_t n) {
    return xp[n - 1] >> (GMP_NUMB_BITS - 1);
}

/* Makes x a view of |{xp, n}|, a number in two's complement. Negates a negative number to {to, n}.
 */
static void view_absolute(mpz_ptr x, const mp_limb_t *xp, size_t n, mp_limb_t *to) {
    if (is_negative(xp, n)) {
        mpn_neg(to, xp, (mp_size_t)n);
        xp = to;
    }
    gmp_view(x, xp, n);
}

/* Stores x as {rp, n} in two's complement. */
static void store(mp_limb_t *rp, size_t n, mpz_srcptr x) {
    normalize_pad(rp, n, x);
    if (mpz_sgn(x) < 0)
        mpn_neg(rp, rp, (mp_size_t)n);
}

/* The operands of a matrix product: arrays of entries at u and v. `scratch` has space for the
 * absolute values of one entry of each. */
struct factors {
    const struct job *job;
    const mp_limb_t *u, *v;
    mp_limb_t *scratch;
};

static void add_product(mpz_ptr sum, const struct factors *f, uint64_t i, uint64_t j) {
    const size_t un = f->job->u[0].n, vn = f->job->u[1].n;
    const mp_limb_t *up = f->u + i * un, *vp = f->v + j * vn;
    mpz_t u, v;
    view_absolute(u, up, un, f->scratch);
    view_absolute(v, vp, vn, f->scratch + un);
    if (is_negative(up, un) == is_negative(vp, vn))
        mpz_addmul(sum, u, v);
    else
        mpz_submul(sum, u, v);
}

void gmp_matrix_mul(const struct job *j, mp_limb_t *const *rp, const mp_limb_t *const *up) {
    const uint64_t inner = j->parameter[JOB_INNER], columns = j->parameter[JOB_COLUMNS];
    mpz_t sum, scratch;
    mpz_init(sum);
    mpz_init2(scratch, GMP_NUMB_BITS * (j->u[0].n + j->u[1].n));
    const struct factors f = {j, up[0], up[1], scratch->_mp_d};
    for (uint64_t e = 0; e < j->r[0].count; e++) {
        mpz_set_ui(sum, 0);
        for (uint64_t i = 0; i < inner; i++)
            add_product(sum, &f, e / columns * inner + i, i * columns + e % columns);
        store(rp[0] + e * j->r[0].n, j->r[0].n, sum);
    }
    mpz_clear(sum);
    mpz_clear(scratch);
}
