/* SPDX-License-Identifier: LGPL-3.0-or-later
 * Moduli (include/mpgpu.h): creation, and operations on numbers modulo them. */
#include <stdatomic.h>
#include <stdlib.h>

#include "compat/batch/batch.h"
#include "compat/intercept/call.h"
#include "compat/number/number.h"
#include "lib/calc/calc_form.h"
#include "lib/gmp/memory.h"
#include "lib/gmp/real.h"

static _Atomic uint64_t last_number;

struct modulus *modulus_of(const mpgpu_number *m, bool is_kept) {
    struct modulus *by = calloc(1, sizeof *by);
    if (!by) {
        batch_fail(MPGPU_NO_MEMORY);
        return NULL;
    }
    by->refs = 1;
    by->value = m->value;
    value_retain(by->value);
    by->is_kept = is_kept;
    by->number = atomic_fetch_add(&last_number, 1) + 1;
    if (is_kept)
        by->form = calc_form_find(m->value->limbs, value_limbs(m->value));
    return by;
}

static mpgpu_modulus *created(mpgpu_number *m) {
    mpgpu_modulus *x = calloc(1, sizeof *x);
    if (!x)
        batch_fail(MPGPU_NO_MEMORY);
    else if (!(x->modulus = modulus_of(m, true))) {
        free(x);
        x = NULL;
    }
    return x;
}

EXPORT mpgpu_modulus *mpgpu_modulus_create(mpgpu_number *m) {
    if (number_need(m))
        return NULL;
    if (m->value->sign == 0) {
        batch_fail(MPGPU_DIVIDE_BY_ZERO);
        return NULL;
    }
    return created(m);
}

EXPORT void mpgpu_modulus_destroy(mpgpu_modulus *m) {
    if (m)
        modulus_leave(m->modulus);
    free(m);
}

struct rest {
    mpgpu_number *r, *u;
    const struct modulus *m;
};

static int compute_rest(void *rest) {
    const struct rest *t = rest;
    const mpz_t d = VALUE_MPZ(t->m->value);
    mpz_t x, u = VALUE_MPZ(t->u->value);
    u->_mp_size = t->u->value->sign < 0 ? -u->_mp_size : u->_mp_size;
    mpz_init(x);
    mpz_mod(x, u, d);
    int error = mpgpu_number_set_mpz(t->r, x);
    mpz_clear(x);
    return error;
}

/* Computes r = u modulo |m| at once, with GMP's mpz_mod. */
static int rest_on_host(mpgpu_number *r, mpgpu_number *u, const struct modulus *m) {
    struct rest t = {r, u, m};
    int error = number_need(u);
    call_init();
    if (!error)
        error = memory_guarded(compute_rest, &t, MPGPU_NO_MEMORY);
    return error == MPGPU_NO_MEMORY ? batch_fail(error) : error;
}

int modulus_rest(mpgpu_number *r, mpgpu_number *u, struct modulus *m) {
    struct value x = {.kind = NUMBER_REST, .u = u->value, .modulus = m, .sign = 1};
    if (x.u->sign < 0 || number_divides_on_host(x.u->bits, m->value))
        return rest_on_host(r, u, m);
    if (x.u->bits < m->value->bits)
        return mpgpu_number_set(r, u);
    x.bits = m->value->bits;
    x.words = m->value->words;
    x.below = m->number;
    return number_record(r, &x);
}

static int fits(const mpgpu_number *r, const mpgpu_modulus *m) {
    bool is_ours = r && m && r->value->queue == m->modulus->value->queue;
    return is_ours ? 0 : batch_fail(MPGPU_ARGUMENTS);
}

EXPORT int mpgpu_modulus_reduce(mpgpu_number *r, mpgpu_number *u, mpgpu_modulus *m) {
    int error = fits(r, m);
    if (!error)
        error = number_begin(r, u, u);
    return error ? error : modulus_rest(r, u, m->modulus);
}

/* Computes the full product u v, then reduces it modulo m. Used if one step of the queue cannot do
 * both: the product is short, zero or negative, or the host should divide. */
static int in_full(mpgpu_number *r, mpgpu_number *u, mpgpu_number *v, mpgpu_modulus *m) {
    mpgpu_number *t = mpgpu_number_create(r->value->queue);
    int error = t ? mpgpu_number_mul(t, u, v) : MPGPU_NO_MEMORY;
    if (!error)
        error = mpgpu_modulus_reduce(r, t, m);
    mpgpu_number_destroy(t);
    return error;
}

EXPORT int mpgpu_modulus_mul(mpgpu_number *r, mpgpu_number *u, mpgpu_number *v, mpgpu_modulus *m) {
    int error = fits(r, m);
    if (!error)
        error = number_begin(r, u, v);
    if (error)
        return error;
    struct value x = {.kind = NUMBER_PRODUCT,
                      .u = u->value,
                      .v = v->value,
                      .modulus = m->modulus,
                      .sign = 1,
                      .below = m->modulus->number};
    const struct value *d = m->modulus->value;
    x.bits = d->bits;
    x.words = d->words;
    const uint64_t bits = x.u->bits + x.v->bits;
    if (bits < d->bits || x.u->sign * x.v->sign <= 0 || number_divides_on_host(bits, d))
        return in_full(r, u, v, m);
    return number_record(r, &x);
}

EXPORT int mpgpu_modulus_sqr(mpgpu_number *r, mpgpu_number *u, mpgpu_modulus *m) {
    return mpgpu_modulus_mul(r, u, u, m);
}
