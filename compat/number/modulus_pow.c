/* SPDX-License-Identifier: LGPL-3.0-or-later
 * Computes powers modulo m with sliding windows over the exponent. Each square or product is
 * recorded in the queue. */
#include "compat/batch/batch.h"
#include "compat/intercept/call.h"
#include "compat/number/number.h"
#include "lib/base/window.h"
#include "lib/gmp/normalize.h"

struct power {
    mpgpu_modulus *m;
    mp_srcptr exponent;
    size_t bits;
    unsigned window;
    /* x: the power of u for the exponent bits processed so far; odd[i]: u^(2 i + 1), the table of
     * odd powers */
    mpgpu_number *x, *odd[WINDOW_POWERS];
};

static unsigned entries(const struct power *p) {
    return 1u << (p->window - 1);
}

/* Computes the table of odd powers: p->odd[i] = u^(2 i + 1). Uses p->x for u^2. */
static int make_table(struct power *p, mpgpu_number *u) {
    int error = mpgpu_modulus_reduce(p->odd[0], u, p->m);
    if (!error && entries(p) > 1)
        error = mpgpu_modulus_sqr(p->x, p->odd[0], p->m);
    for (unsigned i = 1; i < entries(p) && !error; i++)
        error = mpgpu_modulus_mul(p->odd[i], p->odd[i - 1], p->x, p->m);
    return error;
}

/* Processes the next window of the exponent: squares p->x for each bit, and multiplies by the odd
 * power for the window. A window that is a single 0 bit only squares. *left is the number of
 * exponent bits that remain. */
static int step(struct power *p, size_t *left) {
    size_t low;
    unsigned value = window_at(p->exponent, p->window, *left - 1, &low);
    int error = 0;
    for (; *left > low && !error; --*left)
        error = mpgpu_modulus_sqr(p->x, p->x, p->m);
    return value && !error ? mpgpu_modulus_mul(p->x, p->x, p->odd[value / 2], p->m) : error;
}

static int compute(struct power *p, mpgpu_number *u) {
    size_t left;
    int error = make_table(p, u);
    if (!error)
        error = mpgpu_number_set(p->x,
                                 p->odd[window_at(p->exponent, p->window, p->bits - 1, &left) / 2]);
    while (!error && left > 0)
        error = step(p, &left);
    return error;
}

static int create(struct power *p, mpgpu_queue *queue) {
    bool is_made = (p->x = mpgpu_number_create(queue)) != NULL;
    for (unsigned i = 0; i < entries(p); i++)
        is_made &= (p->odd[i] = mpgpu_number_create(queue)) != NULL;
    return is_made ? 0 : MPGPU_NO_MEMORY;
}

static void destroy(struct power *p) {
    mpgpu_number_destroy(p->x);
    for (unsigned i = 0; i < entries(p); i++)
        mpgpu_number_destroy(p->odd[i]);
}

/* Sets r to 1 modulo m, which is the power with exponent 0: 0 if |m| is 1. */
static int one(mpgpu_number *r, const mpgpu_modulus *m) {
    return mpgpu_number_set_ui(r, m->modulus->value->bits > 1);
}

EXPORT int mpgpu_modulus_pow(mpgpu_number *r, mpgpu_number *u, mpz_srcptr e, mpgpu_modulus *m) {
    if (!r || !e || !m || mpz_sgn(e) < 0 || r->value->queue != m->modulus->value->queue)
        return batch_fail(MPGPU_ARGUMENTS);
    size_t n = mpz_size(e);
    struct power p = {.m = m, .exponent = mpz_limbs_read(e)};
    int error = number_fit(r, u);
    if (error || n == 0)
        return error ? error : one(r, m);
    p.bits = normalize_bits(p.exponent, n);
    p.window = window_best(p.bits);
    error = create(&p, r->value->queue);
    if (!error)
        error = compute(&p, u);
    if (!error)
        error = mpgpu_number_set(r, p.x);
    destroy(&p);
    return error;
}
