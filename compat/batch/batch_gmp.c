/* SPDX-License-Identifier: LGPL-3.0-or-later
 * Computes operations on batches on the host, with GMP's functions, one number after another. */
#include "compat/batch/batch_gmp.h"

#include "lib/gmp/normalize.h"
#include "lib/gmp/real.h"

void gmp_view(mpz_ptr x, const mp_limb_t *xp, size_t n) {
    *x =
        (__mpz_struct){._mp_alloc = 0, ._mp_size = (int)normalize(xp, n), ._mp_d = (mp_limb_t *)xp};
}

void gmp_view_number(mpz_ptr x, const struct job *j, const mp_limb_t *const *up, unsigned k,
                     size_t i) {
    gmp_view(x, up[k] + (j->u[k].count == 1 ? 0 : i * j->u[k].n), j->u[k].n);
}

/* ---- sums and products */

void gmp_multiply(mp_limb_t *rp, const mp_limb_t *up, const mp_limb_t *vp, size_t n, bool is_low) {
    if (is_low)
        mpn_mullo_n(rp, up, vp, (mp_size_t)n);
    else if (up == vp)
        mpn_sqr(rp, up, (mp_size_t)n);
    else
        mpn_mul_n(rp, up, vp, (mp_size_t)n);
}

/* Sets {rp, n} to the sum of `terms` numbers of n limbs; subtracts term k if bit k of `minus` is
 * set. Returns the carry; after a borrow it is negative. */
static mp_limb_t sum(mp_limb_t *rp, const mp_limb_t *const *term, unsigned terms, uint64_t minus,
                     mp_size_t n) {
    mp_limb_t top = 0;
    for (unsigned k = 0; k < terms; k++) {
        const bool is_minus = minus >> k & 1;
        if (k == 0 && is_minus)
            mpn_zero(rp, n);
        if (is_minus)
            top -= mpn_sub_n(rp, rp, term[k], n);
        else if (k == 0)
            mpn_copyi(rp, term[k], n);
        else
            top += mpn_add_n(rp, rp, term[k], n);
    }
    return top;
}

void gmp_batch_sum(const struct job *j, mp_limb_t *const *rp, const mp_limb_t *const *up) {
    const size_t n = j->u[0].n;
    for (size_t i = 0; i < j->u[0].count; i++) {
        const mp_limb_t *term[JOB_OPERANDS];
        for (unsigned k = 0; k < j->operands; k++)
            term[k] = up[k] + i * n;
        const mp_limb_t top =
            sum(rp[0] + i * n, term, j->operands, j->parameter[JOB_MINUS], (mp_size_t)n);
        if (rp[1])
            rp[1][i] = j->parameter[JOB_BORROWS] ? -top : top;
    }
}

static void multiply(const struct job *j, mp_limb_t *rp, const mp_limb_t *const *up, bool is_low) {
    const size_t n = j->u[0].n;
    for (size_t i = 0; i < j->u[0].count; i++)
        gmp_multiply(rp + i * (is_low ? n : 2 * n), up[0] + i * n, up[1] + i * n, n, is_low);
}

void gmp_batch_mul(const struct job *j, mp_limb_t *const *rp, const mp_limb_t *const *up) {
    multiply(j, rp[0], up, false);
}

void gmp_batch_mullo(const struct job *j, mp_limb_t *const *rp, const mp_limb_t *const *up) {
    multiply(j, rp[0], up, true);
}

/* ---- comparisons and selections */

void gmp_batch_cmp(const struct job *j, mp_limb_t *const *rp, const mp_limb_t *const *up) {
    const size_t n = j->u[0].n;
    for (size_t i = 0; i < j->u[0].count; i++) {
        const int order = mpn_cmp(up[0] + i * n, up[1] + i * n, (mp_size_t)n);
        rp[0][i] = order > 0 ? 1 : order < 0 ? ~(mp_limb_t)0 : 0;
    }
}

void gmp_batch_select(const struct job *j, mp_limb_t *const *rp, const mp_limb_t *const *up) {
    const size_t n = j->u[0].n;
    for (size_t i = 0; i < j->u[0].count; i++)
        mpn_copyi(rp[0] + i * n, up[up[2][i] ? 0 : 1] + i * n, (mp_size_t)n);
}

/* ---- quotients, gcds, inverses */

void gmp_batch_tdiv_qr(const struct job *j, mp_limb_t *const *rp, const mp_limb_t *const *up) {
    const size_t un = j->u[JOB_NUMERATOR].n, dn = j->u[JOB_DIVISOR].n;
    mpz_t q, r, n, d;
    mpz_init(q);
    mpz_init(r);
    for (size_t i = 0; i < j->u[JOB_NUMERATOR].count; i++) {
        gmp_view_number(n, j, up, JOB_NUMERATOR, i);
        gmp_view_number(d, j, up, JOB_DIVISOR, i);
        mpz_tdiv_qr(q, r, n, d);
        if (rp[JOB_QUOTIENT])
            normalize_pad(rp[JOB_QUOTIENT] + i * un, un, q);
        if (rp[JOB_REMAINDER])
            normalize_pad(rp[JOB_REMAINDER] + i * dn, dn, r);
    }
    mpz_clear(q);
    mpz_clear(r);
}

void gmp_batch_gcd(const struct job *j, mp_limb_t *const *rp, const mp_limb_t *const *up) {
    const size_t n = j->u[0].n;
    mpz_t g, u, v;
    mpz_init(g);
    for (size_t i = 0; i < j->u[0].count; i++) {
        gmp_view_number(u, j, up, 0, i);
        gmp_view_number(v, j, up, 1, i);
        mpz_gcd(g, u, v);
        normalize_pad(rp[0] + i * n, n, g);
    }
    mpz_clear(g);
}

/* Computes the inverse of u modulo m, and sets *exists. Modulo 1, the inverse is 0. */
static void invert(mp_limb_t *rp, mp_limb_t *exists, size_t n, mpz_srcptr u, mpz_srcptr m,
                   mpz_ptr r) {
    const bool of_one = mpz_cmp_ui(m, 1) == 0;
    *exists = of_one || mpz_invert(r, u, m) != 0;
    if (*exists && !of_one)
        normalize_pad(rp, n, r);
    else
        mpn_zero(rp, (mp_size_t)n);
}

void gmp_batch_mod_inv(const struct job *j, mp_limb_t *const *rp, const mp_limb_t *const *up) {
    const size_t n = j->u[0].n;
    mpz_t r, u, m;
    mpz_init(r);
    for (size_t i = 0; i < j->u[0].count; i++) {
        gmp_view_number(u, j, up, 0, i);
        gmp_view_number(m, j, up, 1, i);
        invert(rp[0] + i * n, rp[1] + i, n, u, m, r);
    }
    mpz_clear(r);
}

/* ---- expressions: skips the operations that no result depends on */

struct value {
    const mp_limb_t *limbs[EXPRESSION_NODES];
    /* memory for intermediate values, which are neither operands nor results */
    mp_limb_t *memory;
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
    const size_t un = e->node[node->term[0]].times * n;
    for (unsigned k = 0; k < node->terms; k++)
        term[k] = v->limbs[node->term[k]];
    if (node->kind == EXPRESSION_RESIZE)
        resize(rp, node->times * n, term[0], un);
    else if (node->kind == EXPRESSION_SUM)
        sum(rp, term, node->terms, node->minus, (mp_size_t)un);
    else
        gmp_multiply(rp, term[0], term[1], un, node->kind == EXPRESSION_LOW);
}

static void compute_number(const struct job *j, struct value *v, size_t number,
                           mp_limb_t *const *rp, const mp_limb_t *const *up) {
    const struct expression *e = &j->e;
    const uint64_t needed = expression_needed(e);
    const size_t n = j->u[0].n;
    mp_limb_t *next = v->memory;
    for (unsigned i = 0; i < e->nodes; i++) {
        const size_t limbs = e->node[i].times * n;
        const int result = expression_result_of(e, i);
        mp_limb_t *to = result >= 0 ? rp[result] + number * limbs : next;
        v->limbs[i] = i < e->operands ? up[i] + number * n : to;
        if (i < e->operands || !(needed >> i & 1))
            continue;
        compute_node(e, v, i, n, to);
        if (result < 0)
            next += limbs;
    }
}

void gmp_batch_expression(const struct job *j, mp_limb_t *const *rp, const mp_limb_t *const *up) {
    mpz_t between;
    mpz_init2(between, GMP_NUMB_BITS * (limbs_between(&j->e, j->u[0].n) + 1));
    struct value v = {.memory = between->_mp_d};
    for (size_t i = 0; i < j->u[0].count; i++)
        compute_number(j, &v, i, rp, up);
    mpz_clear(between);
}

/* ---- */

void job_by_gmp(const struct job *job, mp_limb_t *const *rp, const mp_limb_t *const *up) {
    static void (*const by_gmp[JOB_BATCH_OPS])(const struct job *, mp_limb_t *const *,
                                               const mp_limb_t *const *) = {
#define BATCH(name, row, shape, made_by) [JOB_##name] = gmp_##name,
#include "lib/job/ops.def"
    };
    by_gmp[job->op](job, rp, up);
}
