/* SPDX-License-Identifier: LGPL-3.0-or-later
 * Creates and assigns numbers (include/mpgpu.h). */
#include "compat/number/number.h"

#include <stdlib.h>

#include "compat/batch/batch.h"
#include "compat/intercept/call.h"
#include "compat/number/evaluate.h"

EXPORT mpgpu_number *mpgpu_number_create(mpgpu_queue *q) {
    if (!q) {
        batch_fail(MPGPU_ARGUMENTS);
        return NULL;
    }
    mpgpu_number *x = calloc(1, sizeof *x);
    struct value *zero = x ? value_of_limbs(q, 0, NULL, 0) : NULL;
    if (!zero) {
        free(x);
        batch_fail(MPGPU_NO_MEMORY);
        return NULL;
    }
    zero->holders = 1;
    x->value = zero;
    return x;
}

EXPORT void mpgpu_number_destroy(mpgpu_number *x) {
    if (x)
        value_release(x->value);
    free(x);
}

int number_become(mpgpu_number *r, struct value *x) {
    if (!x)
        return batch_fail(MPGPU_NO_MEMORY);
    x->holders++;
    value_release(r->value);
    r->value = x;
    return 0;
}

int number_fit(const mpgpu_number *u, const mpgpu_number *v) {
    return u && v && u->value->queue == v->value->queue ? 0 : batch_fail(MPGPU_ARGUMENTS);
}

EXPORT int mpgpu_number_set(mpgpu_number *r, const mpgpu_number *u) {
    int error = number_fit(r, u);
    return error ? error : number_become(r, value_use(u->value));
}

EXPORT int mpgpu_number_set_mpz(mpgpu_number *r, mpz_srcptr u) {
    if (!r || !u)
        return batch_fail(MPGPU_ARGUMENTS);
    return number_become(
        r, value_of_limbs(r->value->queue, mpz_sgn(u), mpz_limbs_read(u), mpz_size(u)));
}

EXPORT int mpgpu_number_set_ui(mpgpu_number *r, unsigned long u) {
    mp_limb_t limb = u;
    if (!r)
        return batch_fail(MPGPU_ARGUMENTS);
    return number_become(r, value_of_limbs(r->value->queue, 1, &limb, 1));
}

EXPORT int mpgpu_number_swap(mpgpu_number *u, mpgpu_number *v) {
    int error = number_fit(u, v);
    if (error)
        return error;
    struct value *before = u->value;
    u->value = v->value;
    v->value = before;
    return 0;
}

EXPORT size_t mpgpu_number_bits_most(const mpgpu_number *u) {
    return u ? u->value->bits : 0;
}

EXPORT int mpgpu_number_on_device(const mpgpu_number *u) {
    return u && u->value->kind == NUMBER_KNOWN && u->value->store.bytes > 0;
}
