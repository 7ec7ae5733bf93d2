/* SPDX-License-Identifier: LGPL-3.0-or-later
 * Records operations on numbers (include/mpgpu.h). Computes the signs of results at once, except of
 * differences; the queue computes the magnitudes later. */
#include <limits.h>

#include "compat/batch/batch.h"
#include "compat/intercept/call.h"
#include "compat/number/evaluate.h"
#include "compat/number/number.h"
#include "lib/base/min.h"
#include "lib/gmp/real.h"

/* Maximum number of blocks of a quotient that the device computes if the divisor is short. The host
 * computes longer quotients. */
enum { MOST_BLOCKS = 16 };

/* Maximum number of bits of a result. An mpz_t counts limbs in an int, and some GMP functions
 * allocate one limb more than the result has. */
static const uint64_t most_bits = ((uint64_t)INT_MAX - 1) * 64;

static uint64_t larger(uint64_t a, uint64_t b) {
    return a > b ? a : b;
}

int number_begin(const mpgpu_number *r, const mpgpu_number *u, const mpgpu_number *v) {
    int error = number_fit(r, u);
    if (!error)
        error = number_fit(r, v);
    if (!error && queue_is_full(r->value->queue))
        error = evaluate(r->value->queue);
    if (!error)
        error = number_need_sign(u);
    return error ? error : number_need_sign(v);
}

int number_record(mpgpu_number *r, const struct value *operation) {
    struct value x = *operation;
    x.queue = r->value->queue;
    return x.bits > most_bits ? batch_fail(MPGPU_TOO_LARGE) : number_become(r, value_record(&x));
}

int number_clear(mpgpu_number *r) {
    return mpgpu_number_set_ui(r, 0);
}

/* ---- sums */

/* Sets r = sign * u, for a value u whose sign is known. */
static int signed_copy(mpgpu_number *r, struct value *u, int sign) {
    struct value x = {.kind = NUMBER_UP, .u = u, .sign = sign * u->sign, .bits = u->bits};
    x.words = u->words;
    if (sign > 0 || u->sign == 0)
        return number_become(r, value_use(u));
    return number_record(r, &x);
}

/* Records r = s (|u| + |v|) for the sign s = `sign`, or r = s (|u| - |v|) if kind is NUMBER_SUB. */
static int combine(mpgpu_number *r, enum number_kind kind, struct value *u, struct value *v,
                   int sign) {
    struct value x = {.kind = kind, .u = u, .v = v, .sign = sign};
    x.bits = larger(u->bits, v->bits) + (kind == NUMBER_ADD);
    x.words = larger(u->words, v->words);
    x.words = kind == NUMBER_SUB ? x.words + CALC_QUAD : larger(x.words, calc_words(x.bits));
    return number_record(r, &x);
}

/* Records r = a + sign * b. */
static int sum(mpgpu_number *r, mpgpu_number *a, mpgpu_number *b, int sign) {
    int error = number_begin(r, a, b);
    if (error)
        return error;
    struct value *u = a->value, *v = b->value;
    if (v->sign == 0)
        return signed_copy(r, u, 1);
    if (u->sign == 0)
        return signed_copy(r, v, sign);
    if (u->sign == sign * v->sign)
        return combine(r, NUMBER_ADD, u, v, u->sign);
    return u == v ? number_clear(r) : combine(r, NUMBER_SUB, u, v, u->sign);
}

EXPORT int mpgpu_number_add(mpgpu_number *r, mpgpu_number *u, mpgpu_number *v) {
    return sum(r, u, v, 1);
}

EXPORT int mpgpu_number_sub(mpgpu_number *r, mpgpu_number *u, mpgpu_number *v) {
    return sum(r, u, v, -1);
}

EXPORT int mpgpu_number_neg(mpgpu_number *r, mpgpu_number *u) {
    int error = number_begin(r, u, u);
    return error ? error : signed_copy(r, u->value, -1);
}

/* ---- products and shifts */

EXPORT int mpgpu_number_mul(mpgpu_number *r, mpgpu_number *u, mpgpu_number *v) {
    int error = number_begin(r, u, v);
    if (error)
        return error;
    struct value x = {.kind = NUMBER_MUL, .u = u->value, .v = v->value};
    x.sign = x.u->sign * x.v->sign;
    x.bits = x.u->bits + x.v->bits;
    x.words = min_u64(x.u->words + x.v->words, calc_words(x.bits) + CALC_QUAD);
    return x.sign == 0 ? number_clear(r) : number_record(r, &x);
}

EXPORT int mpgpu_number_sqr(mpgpu_number *r, mpgpu_number *u) {
    return mpgpu_number_mul(r, u, u);
}

EXPORT int mpgpu_number_mul_2exp(mpgpu_number *r, mpgpu_number *u, size_t bits) {
    int error = number_begin(r, u, u);
    /* A recorded value may have fewer bits than its upper bound, or be 0. */
    if (!error && (bits > most_bits || u->value->bits + bits > most_bits))
        error = number_need(u);
    if (error)
        return error;
    struct value x = {.kind = NUMBER_UP, .u = u->value, .sign = u->value->sign, .shift = bits};
    if (x.sign == 0)
        return number_clear(r);
    if (bits > most_bits)
        return batch_fail(MPGPU_TOO_LARGE);
    x.bits = x.u->bits + bits;
    x.words = larger(calc_words(x.bits), x.u->words);
    return number_record(r, &x);
}

EXPORT int mpgpu_number_tdiv_q_2exp(mpgpu_number *r, mpgpu_number *u, size_t bits) {
    int error = number_begin(r, u, u);
    if (error)
        return error;
    struct value x = {.kind = NUMBER_DOWN, .u = u->value, .sign = u->value->sign, .shift = bits};
    if (x.u->bits <= bits)
        return number_clear(r);
    x.bits = x.u->bits - bits;
    x.words = calc_words(x.bits);
    return number_record(r, &x);
}

/* ---- division */

bool number_divides_on_host(uint64_t bits, const struct value *d) {
    return bits / d->bits > MOST_BLOCKS && !call_is_large(value_limbs(d), &thresholds.mul);
}

/* Records quotient and remainder next to each other, so that one division computes both. Then sets
 * q and r, either of which may be the dividend. */
static int record_both(mpgpu_number *q, mpgpu_number *r, const struct value *quotient,
                       const struct value *rest) {
    struct value *one = q ? value_record(quotient) : NULL, *other = r ? value_record(rest) : NULL;
    if ((q && !one) || (r && !other)) {
        value_leave(one);
        value_leave(other);
        return batch_fail(MPGPU_NO_MEMORY);
    }
    if (q)
        number_become(q, one);
    return r ? number_become(r, other) : 0;
}

static int divide(mpgpu_number *q, mpgpu_number *r, struct value *u, struct modulus *m) {
    const struct value *d = m->value;
    struct value rest = {.queue = u->queue, .u = u, .modulus = m}, quotient = rest;
    const struct calc_divisor by = numbers_divisor(d->bits, 1);
    m->quads = numbers_dividend_quads(&by, u->bits) - by.n;
    rest.kind = NUMBER_REST;
    rest.sign = u->sign;
    rest.bits = d->bits;
    rest.words = d->words;
    quotient.kind = NUMBER_QUOTIENT;
    quotient.sign = u->sign * d->sign;
    quotient.bits = u->bits - d->bits + 1;
    quotient.words = CALC_QUAD * m->quads;
    return record_both(q, r, &quotient, &rest);
}

/* Divides u by a divisor with more bits: sets q = 0 and r = u. q or r may be NULL. */
static int divide_by_longer(mpgpu_number *q, mpgpu_number *r, struct value *u) {
    int error = 0;
    value_use(u);
    if (q)
        error = number_clear(q);
    if (r && !error)
        error = number_become(r, value_use(u));
    value_leave(u);
    return error;
}

/* Computes the value of the divisor d, unless it is computed already. Returns 0 or an error:
 * MPGPU_DIVIDE_BY_ZERO if d is 0. */
static int need_divisor(const mpgpu_number *d) {
    int error = number_need(d);
    return error || d->value->sign ? error : batch_fail(MPGPU_DIVIDE_BY_ZERO);
}

static int divide_by(mpgpu_number *q, mpgpu_number *r, struct value *u, const mpgpu_number *d) {
    if (u->bits < d->value->bits)
        return divide_by_longer(q, r, u);
    struct modulus *m = modulus_of(d, false);
    if (!m)
        return MPGPU_NO_MEMORY;
    int error = divide(q, r, u, m);
    modulus_leave(m);
    return error;
}

EXPORT int mpgpu_number_tdiv_qr(mpgpu_number *q, mpgpu_number *r, mpgpu_number *n,
                                mpgpu_number *d) {
    if (q == r)
        return batch_fail(MPGPU_ARGUMENTS);
    int error = number_begin(q ? q : r, n, d);
    if (!error && q && r)
        error = number_fit(q, r);
    if (!error)
        error = need_divisor(d);
    if (error)
        return error;
    mpgpu_queue *queue = n->value->queue;
    bool is_on_host = number_divides_on_host(n->value->bits, d->value);
    /* computes the earlier operations of the queue now, on the device if they are large; GMP then
     * computes only the division */
    if (is_on_host)
        error = evaluate(queue);
    if (!error)
        error = divide_by(q, r, n->value, d);
    return error || !is_on_host ? error : evaluate_by_gmp(queue);
}

EXPORT int mpgpu_number_mod(mpgpu_number *r, mpgpu_number *n, mpgpu_number *d) {
    int error = number_begin(r, n, d);
    if (!error)
        error = need_divisor(d);
    if (error)
        return error;
    if (n->value->sign < 0) {
        struct modulus *m = modulus_of(d, true);
        error = m ? modulus_rest(r, n, m) : MPGPU_NO_MEMORY;
        modulus_leave(m);
        return error;
    }
    return mpgpu_number_tdiv_qr(NULL, r, n, d);
}
