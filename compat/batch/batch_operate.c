/* SPDX-License-Identifier: LGPL-3.0-or-later
 * mpgpu_batch_add and other operations on batches (include/mpgpu.h). Each describes a job and
 * passes it to batch_task_perform. */
#include "compat/batch/look.h"
#include "compat/batch/modulus.h"

/* Computes r = op(u, v), for operations without parameters. batch_task_perform rejects NULL
 * operands. */
static int two(enum job_op op, mpgpu_batch *r, mpgpu_batch *u, mpgpu_batch *v) {
    return batch_task_perform(
        &(struct batch_task){.op = op, .operands = 2, .results = 1, .u = {u, v}, .r = {r}});
}

/* ---- sums and products */

static int sum(mpgpu_batch *r, mpgpu_batch *cy, mpgpu_batch *const *u, unsigned terms,
               unsigned minus, bool borrows) {
    struct batch_task t = {.op = JOB_batch_sum,
                           .operands = terms,
                           .results = 2,
                           .r = {r, cy},
                           .parameter = {[JOB_MINUS] = minus, [JOB_BORROWS] = borrows}};
    if (terms == 0 || terms > MPGPU_TERMS || !u || !r)
        return batch_fail(MPGPU_ARGUMENTS);
    for (unsigned k = 0; k < terms; k++) {
        if (cy && u[k] == cy)
            return batch_fail(MPGPU_ARGUMENTS);
        t.u[k] = u[k];
    }
    return batch_task_perform(&t);
}

EXPORT int mpgpu_batch_add(mpgpu_batch *r, mpgpu_batch *cy, mpgpu_batch *u, mpgpu_batch *v) {
    return sum(r, cy, (mpgpu_batch *const[]){u, v}, 2, 0, false);
}

EXPORT int mpgpu_batch_sub(mpgpu_batch *r, mpgpu_batch *cy, mpgpu_batch *u, mpgpu_batch *v) {
    return sum(r, cy, (mpgpu_batch *const[]){u, v}, 2, 2, true);
}

EXPORT int mpgpu_batch_sum(mpgpu_batch *r, mpgpu_batch *cy, mpgpu_batch *const *u, unsigned terms,
                           unsigned minus) {
    return sum(r, cy, u, terms, minus, false);
}

EXPORT int mpgpu_batch_mul(mpgpu_batch *r, mpgpu_batch *u, mpgpu_batch *v) {
    return two(JOB_batch_mul, r, u, v);
}

EXPORT int mpgpu_batch_mullo(mpgpu_batch *r, mpgpu_batch *u, mpgpu_batch *v) {
    return two(JOB_batch_mullo, r, u, v);
}

EXPORT int mpgpu_batch_sqr(mpgpu_batch *r, mpgpu_batch *u) {
    return two(JOB_batch_mul, r, u, u);
}

/* ---- comparisons and selections */

EXPORT int mpgpu_batch_cmp(mpgpu_batch *r, mpgpu_batch *u, mpgpu_batch *v) {
    return two(JOB_batch_cmp, r, u, v);
}

EXPORT int mpgpu_batch_select(mpgpu_batch *r, mpgpu_batch *c, mpgpu_batch *u, mpgpu_batch *v) {
    return batch_task_perform(&(struct batch_task){
        .op = JOB_batch_select, .operands = 3, .results = 1, .u = {u, v, c}, .r = {r}});
}

/* ---- gcds, inverses, quotients */

EXPORT int mpgpu_batch_gcd(mpgpu_batch *r, mpgpu_batch *u, mpgpu_batch *v) {
    return two(JOB_batch_gcd, r, u, v);
}

EXPORT int mpgpu_batch_tdiv_qr(mpgpu_batch *q, mpgpu_batch *r, mpgpu_batch *n, mpgpu_batch *d) {
    const struct batch_task t = {.op = JOB_batch_tdiv_qr,
                                 .operands = 2,
                                 .results = 2,
                                 .u = {[JOB_NUMERATOR] = n, [JOB_DIVISOR] = d},
                                 .r = {[JOB_QUOTIENT] = q, [JOB_REMAINDER] = r}};
    struct euclid_found found;
    if (!batch_task_fits(&t))
        return batch_fail(MPGPU_ARGUMENTS);
    const int error = batch_look(d, &found);
    return error ? error : batch_task_perform(&t);
}

/* Computes inverses modulo m. `known` states whether m has even numbers; if it is NULL, this
 * function examines m. */
static int inverses(mpgpu_batch *r, mpgpu_batch *exists, mpgpu_batch *u, mpgpu_batch *m,
                    const struct euclid_found *known) {
    struct batch_task t = {
        .op = JOB_batch_mod_inv, .operands = 2, .results = 2, .u = {u, m}, .r = {r, exists}};
    struct euclid_found found = known ? *known : (struct euclid_found){0};
    if (!batch_task_fits(&t) || exists == u || exists == m)
        return batch_fail(MPGPU_ARGUMENTS);
    const int error = known ? 0 : batch_look(m, &found);
    t.parameter[JOB_HAS_EVEN] = found.even > 0;
    return error ? error : batch_task_perform(&t);
}

EXPORT int mpgpu_batch_mod_inv(mpgpu_batch *r, mpgpu_batch *exists, mpgpu_batch *u,
                               mpgpu_batch *m) {
    return inverses(r, exists, u, m, NULL);
}

EXPORT int mpgpu_batch_mod_invert(mpgpu_batch *r, mpgpu_batch *exists, mpgpu_batch *u,
                                  mpgpu_batch_modulus *m) {
    const struct euclid_found known = {.even = m && m->is_even};
    if (!m)
        return batch_fail(MPGPU_ARGUMENTS);
    const int error = inverses(r, exists, u, m->m, &known);
    return error == MPGPU_LOST && modulus_is_renewed(m) ? inverses(r, exists, u, m->m, &known)
                                                        : error;
}

/* ---- modulo numbers */

static int modular_once(enum job_op op, mpgpu_batch *r, mpgpu_batch *u, mpgpu_batch *v,
                        mpgpu_batch_modulus *m) {
    const uint64_t method =
        (m->is_barrett ? JOB_BY_BARRETT : 0) | (m->is_normal ? JOB_IS_NORMAL : 0);
    return batch_task_perform(
        &(struct batch_task){.op = op,
                             .operands = m->known ? JOB_KNOWN + 1 : JOB_MODULUS + 1,
                             .results = 1,
                             .u = {u, v, [JOB_MODULUS] = m->m, [JOB_KNOWN] = m->known},
                             .r = {r},
                             .parameter = {[JOB_METHOD] = method}});
}

/* Computes one operation modulo m. If the operation has one operand, the caller passes u as v. */
static int modular(enum job_op op, mpgpu_batch *r, mpgpu_batch *u, mpgpu_batch *v,
                   mpgpu_batch_modulus *m) {
    if (!m || (op == JOB_batch_mod_pow_sec && m->is_even))
        return batch_fail(MPGPU_ARGUMENTS);
    const int error = modular_once(op, r, u, v, m);
    return error == MPGPU_LOST && modulus_is_renewed(m) ? modular_once(op, r, u, v, m) : error;
}

EXPORT int mpgpu_batch_mod(mpgpu_batch *r, mpgpu_batch *u, mpgpu_batch_modulus *m) {
    return modular(JOB_batch_mod, r, u, u, m);
}

EXPORT int mpgpu_batch_mod_add(mpgpu_batch *r, mpgpu_batch *u, mpgpu_batch *v,
                               mpgpu_batch_modulus *m) {
    return modular(JOB_batch_mod_add, r, u, v, m);
}

EXPORT int mpgpu_batch_mod_sub(mpgpu_batch *r, mpgpu_batch *u, mpgpu_batch *v,
                               mpgpu_batch_modulus *m) {
    return modular(JOB_batch_mod_sub, r, u, v, m);
}

EXPORT int mpgpu_batch_mod_mul(mpgpu_batch *r, mpgpu_batch *u, mpgpu_batch *v,
                               mpgpu_batch_modulus *m) {
    return modular(JOB_batch_mod_mul, r, u, v, m);
}

EXPORT int mpgpu_batch_mod_sqr(mpgpu_batch *r, mpgpu_batch *u, mpgpu_batch_modulus *m) {
    return modular(JOB_batch_mod_mul, r, u, u, m);
}

EXPORT int mpgpu_batch_mod_pow(mpgpu_batch *r, mpgpu_batch *u, mpgpu_batch *e,
                               mpgpu_batch_modulus *m) {
    return modular(JOB_batch_mod_pow, r, u, e, m);
}

EXPORT int mpgpu_batch_mod_pow_sec(mpgpu_batch *r, mpgpu_batch *u, mpgpu_batch *e,
                                   mpgpu_batch_modulus *m) {
    return modular(JOB_batch_mod_pow_sec, r, u, e, m);
}
