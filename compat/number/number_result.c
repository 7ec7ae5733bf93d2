/* SPDX-License-Identifier: LGPL-3.0-or-later
 * Returns values, texts, signs and comparisons of numbers (include/mpgpu.h) to the program, after
 * computing them. */
#include <stdlib.h>

#include "compat/batch/batch.h"
#include "compat/intercept/call.h"
#include "compat/number/evaluate.h"
#include "compat/number/number.h"
#include "lib/gmp/memory.h"
#include "lib/gmp/real.h"

int number_need(const mpgpu_number *u) {
    if (!u)
        return batch_fail(MPGPU_ARGUMENTS);
    return u->value->kind == NUMBER_KNOWN ? 0 : evaluate(u->value->queue);
}

int number_need_sign(const mpgpu_number *u) {
    return value_sign(u->value) == SIGN_UNKNOWN ? evaluate(u->value->queue) : 0;
}

EXPORT int mpgpu_number_get_mpz(mpz_ptr w, mpgpu_number *u) {
    int error = w ? number_need(u) : batch_fail(MPGPU_ARGUMENTS);
    if (error)
        return error;
    mpz_t x = VALUE_MPZ(u->value);
    call_init();
    mpz_set(w, x);
    if (u->value->sign < 0)
        mpz_neg(w, w);
    return 0;
}

struct text {
    const struct value *u;
    int base;
    char *at;
};

static int write_text(void *text) {
    const struct text *t = text;
    mpz_t x = VALUE_MPZ(t->u);
    mpz_get_str(t->at, t->base, x);
    return 0;
}

/* Returns the text of u in a new block, which has room for a sign and the NUL, too. Returns NULL if
 * memory is exhausted. */
static char *text_of(const struct value *u, int base) {
    size_t n = value_limbs(u), digits = n ? mpn_sizeinbase(u->limbs, (mp_size_t)n, base) : 1;
    char *text = malloc(digits + 3);
    struct text t = {u, base, text ? text + (u->sign < 0) : NULL};
    if (!text)
        return NULL;
    *text = '-';
    if (memory_guarded(write_text, &t, MPGPU_NO_MEMORY)) {
        free(text);
        return NULL;
    }
    return text;
}

EXPORT int mpgpu_number_get_str(char **text, mpgpu_number *u, int base) {
    if (!text || base < 2 || base > 62)
        return batch_fail(MPGPU_ARGUMENTS);
    int error = number_need(u);
    if (error)
        return error;
    call_init();
    *text = text_of(u->value, base);
    return *text ? 0 : batch_fail(MPGPU_NO_MEMORY);
}

EXPORT int mpgpu_number_bits(size_t *bits, mpgpu_number *u) {
    int error = bits ? number_need(u) : batch_fail(MPGPU_ARGUMENTS);
    if (!error)
        *bits = u->value->bits;
    return error;
}

EXPORT int mpgpu_number_sign(int *sign, mpgpu_number *u) {
    int error = sign ? number_need(u) : batch_fail(MPGPU_ARGUMENTS);
    if (!error)
        *sign = u->value->sign;
    return error;
}

/* Compares u and v, whose limbs must be on the host. Returns a negative number, 0 or a positive
 * number. */
static int order_of(const struct value *u, const struct value *v) {
    const mpz_t x = VALUE_MPZ(u), y = VALUE_MPZ(v);
    if (u->sign != v->sign)
        return u->sign < v->sign ? -1 : 1;
    int order = u == v ? 0 : mpz_cmp(x, y);
    return u->sign * ((order > 0) - (order < 0));
}

EXPORT int mpgpu_number_cmp(int *order, mpgpu_number *u, mpgpu_number *v) {
    int error = order ? number_fit(u, v) : batch_fail(MPGPU_ARGUMENTS);
    if (!error)
        error = number_need(u);
    if (!error)
        error = number_need(v);
    if (!error) {
        call_init();
        *order = order_of(u->value, v->value);
    }
    return error;
}
