/* SPDX-License-Identifier: LGPL-3.0-or-later
 * Powers modulo m: sliding windows over the exponent, each product an operation of the queue. */
#include "compat/batch/batch.h"
#include "compat/intercept/call.h"
#include "compat/number/number.h"

enum { MOST_WINDOW = 6 };

struct power {
    mpgpu_modulus *m;
    mp_srcptr exponent;
    size_t bits;
    unsigned window;
    mpgpu_number *x, *odd[1 << (MOST_WINDOW - 1)]; /* the power so far; u, u^3, u^5 ... */
};

/* One bit more doubles the table, and there are bits / (w + 2) products by it, not
 * bits / (w + 1). */
static unsigned best_window(size_t bits) {
    unsigned w = 1;
    while (w < MOST_WINDOW && bits > (size_t)(w + 1) * (w + 2) << (w - 1))
        w++;
    return w;
}

static unsigned bit(const struct power *p, size_t i) {
    return (unsigned)(p->exponent[i / GMP_NUMB_BITS] >> i % GMP_NUMB_BITS) & 1;
}

static unsigned entries(const struct power *p) {
    return 1u << (p->window - 1);
}

/* x = u^2 for a while. */
static int make_table(struct power *p, mpgpu_number *u) {
    int error = mpgpu_modulus_reduce(p->odd[0], u, p->m);
    if (!error && entries(p) > 1)
        error = mpgpu_modulus_sqr(p->x, p->odd[0], p->m);
    for (unsigned i = 1; i < entries(p) && !error; i++)
        error = mpgpu_modulus_mul(p->odd[i], p->odd[i - 1], p->x, p->m);
    return error;
}

/* The window whose highest bit is `high`, a 1: the value, odd, and its lowest bit. */
static unsigned window_at(const struct power *p, size_t high, size_t *low) {
    unsigned value = 0;
    *low = high + 1 > p->window ? high + 1 - p->window : 0;
    while (!bit(p, *low))
        ++*low;
    for (size_t i = high + 1; i > *low; i--)
        value = 2 * value + bit(p, i - 1);
    return value;
}

/* One 0, or a window, of the exponent whose lowest `left` bits are still to come. */
static int step(struct power *p, size_t *left) {
    size_t low = *left - 1;
    mpgpu_number *odd = NULL;
    int error = 0;
    if (bit(p, low))
        odd = p->odd[window_at(p, low, &low) / 2];
    for (; *left > low && !error; --*left)
        error = mpgpu_modulus_sqr(p->x, p->x, p->m);
    return odd && !error ? mpgpu_modulus_mul(p->x, p->x, odd, p->m) : error;
}

static int compute(struct power *p, mpgpu_number *u) {
    size_t left;
    int error = make_table(p, u);
    if (!error)
        error = mpgpu_number_set(p->x, p->odd[window_at(p, p->bits - 1, &left) / 2]);
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

/* u^0 modulo m. */
static int one(mpgpu_number *r, mpgpu_modulus *m) {
    int error = mpgpu_number_set_ui(r, 1);
    return error ? error : mpgpu_modulus_reduce(r, r, m);
}

EXPORT int mpgpu_modulus_pow(mpgpu_number *r, mpgpu_number *u, mpz_srcptr e, mpgpu_modulus *m) {
    if (!r || !e || !m || mpz_sgn(e) < 0 || r->value->queue != m->modulus->value->queue)
        return batch_fail(MPGPU_ARGUMENTS);
    size_t n = mpz_size(e);
    struct power p = {.m = m, .exponent = mpz_limbs_read(e)};
    int error = number_fit(r, u);
    if (error || n == 0)
        return error ? error : one(r, m);
    p.bits = n * GMP_NUMB_BITS - (size_t)__builtin_clzl(p.exponent[n - 1]);
    p.window = best_window(p.bits);
    error = create(&p, r->value->queue);
    if (!error)
        error = compute(&p, u);
    if (!error)
        error = mpgpu_number_set(r, p.x);
    destroy(&p);
    return error;
}
