/* SPDX-License-Identifier: LGPL-3.0-or-later
 * Computes the recorded operations of a queue with GMP's functions. */
#include <stdlib.h>
#include <string.h>

#include "compat/batch/batch.h"
#include "compat/number/evaluate.h"
#include "lib/gmp/memory.h"
#include "lib/gmp/real.h"

/* Stores t as the computed value of x. If t is negative, the sign that x had is reversed. */
static int arrive(struct value *x, mpz_srcptr t) {
    size_t n = mpz_size(t);
    uint64_t words = n ? calc_words(64 * (uint64_t)n) : CALC_QUAD;
    mp_limb_t *limbs = calloc(words / 2, sizeof *limbs);
    if (!limbs)
        return batch_fail(MPGPU_NO_MEMORY);
    if (n > 0)
        memcpy(limbs, mpz_limbs_read(t), n * sizeof *limbs);
    value_arrive(x, limbs, words, mpz_sgn(t) < 0 ? -x->sign : x->sign);
    return 0;
}

static void operate(mpz_ptr t, const struct value *x, mpz_srcptr u, mpz_srcptr v, mpz_srcptr m) {
    switch (x->kind) {
    case NUMBER_ADD:
        mpz_add(t, u, v);
        break;
    case NUMBER_SUB:
        mpz_sub(t, u, v);
        break;
    case NUMBER_UP:
        mpz_mul_2exp(t, u, x->shift);
        break;
    case NUMBER_DOWN:
        mpz_tdiv_q_2exp(t, u, x->shift);
        break;
    case NUMBER_QUOTIENT:
        mpz_tdiv_q(t, u, m);
        break;
    case NUMBER_REST:
        mpz_mod(t, u, m);
        break;
    default: /* a product */
        mpz_mul(t, u, v);
        if (m)
            mpz_mod(t, t, m);
    }
}

static int one(void *value) {
    struct value *x = value;
    mpz_t t, u = VALUE_MPZ(x->u);
    const mpz_t v = VALUE_MPZ(x->v ? x->v : x->u);
    const mpz_t m = VALUE_MPZ(x->modulus ? x->modulus->value : x->u);
    mpz_init(t);
    operate(t, x, u, x->u == x->v ? u : v, x->modulus ? m : NULL);
    int error = arrive(x, t);
    mpz_clear(t);
    return error;
}

static int pair(void *value) {
    struct value *x = value;
    const mpz_t u = VALUE_MPZ(x->u), m = VALUE_MPZ(x->modulus->value);
    struct value *rest = x->next;
    mpz_t q, r;
    mpz_init(q);
    mpz_init(r);
    mpz_tdiv_qr(q, r, u, m);
    int error = arrive(rest, r);
    if (!error)
        error = arrive(x, q);
    mpz_clear(q);
    mpz_clear(r);
    return error;
}

int evaluate_by_gmp(mpgpu_queue *q) {
    int error = 0;
    while (q->first && !error)
        error = memory_guarded(evaluate_is_pair(q->first) ? pair : one, q->first, MPGPU_NO_MEMORY);
    return error == MPGPU_NO_MEMORY ? batch_fail(error) : error;
}
