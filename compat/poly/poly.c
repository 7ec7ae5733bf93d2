/* SPDX-License-Identifier: LGPL-3.0-or-later
 * Polynomials (include/mpgpu.h): creation, coefficients, products. */
#include "compat/poly/poly.h"

#include <stdlib.h>
#include <string.h>

#include "lib/base/ceil_div.h"
#include "lib/gmp/normalize.h"
#include "lib/memory/wipe.h"

static void forget(mpgpu_poly *p) {
    wipe_free(p->limbs, p->length * p->n * sizeof *p->limbs);
    p->limbs = NULL;
    p->length = 0;
}

static bool is_zero(const mp_limb_t *x, size_t n) {
    return normalize(x, n) == 0;
}

void poly_take(mpgpu_poly *r, mp_limb_t *limbs, size_t length, size_t n) {
    forget(r);
    while (length > 0 && is_zero(limbs + (length - 1) * n, n))
        length--;
    r->limbs = limbs;
    r->length = length;
    r->n = n;
}

EXPORT mpgpu_poly *mpgpu_poly_create(mpz_srcptr modulus) {
    if (modulus && mpz_sgn(modulus) <= 0) {
        if (mpz_sgn(modulus) == 0)
            batch_fail_text(MPGPU_DIVIDE_BY_ZERO,
                            "division by zero: the modulus of a polynomial is 0");
        else
            batch_fail_text(MPGPU_ARGUMENTS, "the modulus of a polynomial is negative");
        return NULL;
    }
    mpgpu_poly *p = calloc(1, sizeof *p);
    if (!p) {
        batch_fail(MPGPU_NO_MEMORY);
        return NULL;
    }
    p->n = modulus ? poly_ring_limbs(modulus) : 1;
    p->has_modulus = modulus;
    mpz_init(p->modulus);
    if (modulus)
        mpz_set(p->modulus, modulus);
    return p;
}

EXPORT void mpgpu_poly_destroy(mpgpu_poly *p) {
    if (!p)
        return;
    forget(p);
    mpz_clear(p->modulus);
    free(p);
}

EXPORT size_t mpgpu_poly_length(const mpgpu_poly *u) {
    return u ? u->length : 0;
}

int poly_are_alike(const mpgpu_poly *u, const mpgpu_poly *v, const mpgpu_poly *r) {
    if (!u || !v || !r)
        return batch_fail(MPGPU_ARGUMENTS);
    if (u->has_modulus != v->has_modulus || u->has_modulus != r->has_modulus ||
        mpz_cmp(u->modulus, v->modulus) != 0 || mpz_cmp(u->modulus, r->modulus) != 0)
        return batch_fail_text(MPGPU_ARGUMENTS, "polynomials with different moduli");
    return 0;
}

/* ---- coefficients */

/* Sets {to, n} to x in two's complement. */
static void set_signed(mp_limb_t *to, size_t n, mpz_srcptr x) {
    normalize_pad(to, n, x);
    if (mpz_sgn(x) < 0)
        mpn_neg(to, to, (mp_size_t)n);
}

static size_t limbs_for(const mpgpu_poly *r, const mpz_t *c, size_t length) {
    size_t bits = 0;
    for (size_t i = 0; i < length && !r->has_modulus; i++) {
        const size_t own = normalize_bits(mpz_limbs_read(c[i]), mpz_size(c[i]));
        bits = own > bits ? own : bits;
    }
    return r->has_modulus ? poly_ring_limbs(r->modulus) : bits / 64 + 1;
}

static void set_residue(mp_limb_t *to, size_t n, mpz_srcptr x, mpz_srcptr modulus) {
    mpz_t rest;
    mpz_init(rest);
    mpz_mod(rest, x, modulus);
    normalize_pad(to, n, rest);
    mpz_clear(rest);
}

EXPORT int mpgpu_poly_set_mpz(mpgpu_poly *r, const mpz_t *c, size_t length) {
    if (!r || (!c && length > 0))
        return batch_fail(MPGPU_ARGUMENTS);
    if (length >= JOB_MOST_LIMBS)
        return batch_fail(MPGPU_NO_MEMORY);
    const size_t n = limbs_for(r, c, length);
    mp_limb_t *limbs =
        length < JOB_MOST_LIMBS / n ? malloc((length + 1) * n * sizeof *limbs) : NULL;
    if (!limbs)
        return batch_fail(MPGPU_NO_MEMORY);
    for (size_t i = 0; i < length; i++)
        if (r->has_modulus)
            set_residue(limbs + i * n, n, c[i], r->modulus);
        else
            set_signed(limbs + i * n, n, c[i]);
    poly_take(r, limbs, length, n);
    return 0;
}

static void get(mpz_ptr r, const mpgpu_poly *u, size_t i) {
    const mp_limb_t *x = u->limbs + i * u->n;
    const bool is_negative = !u->has_modulus && (mp_limb_signed_t)x[u->n - 1] < 0;
    mp_limb_t *to = mpz_limbs_write(r, (mp_size_t)u->n);
    if (is_negative)
        mpn_neg(to, x, (mp_size_t)u->n);
    else
        memcpy(to, x, u->n * sizeof *to);
    const mp_size_t size = (mp_size_t)normalize(to, u->n);
    mpz_limbs_finish(r, is_negative ? -size : size);
}

EXPORT int mpgpu_poly_get_mpz(mpz_t *c, size_t length, const mpgpu_poly *u) {
    if (!u || (!c && length > 0))
        return batch_fail(MPGPU_ARGUMENTS);
    for (size_t i = 0; i < length; i++)
        if (i < u->length)
            get(c[i], u, i);
        else
            mpz_set_ui(c[i], 0);
    return 0;
}

/* ---- products */

static size_t bits_of(const mpgpu_poly *u) {
    size_t most = 1;
    for (size_t i = 0; i < u->length; i++) {
        const mp_limb_t *x = u->limbs + i * u->n;
        const mp_limb_t fill = (mp_limb_t)((mp_limb_signed_t)x[u->n - 1] >> 63);
        size_t n = u->n;
        while (n > 1 && x[n - 1] == fill)
            n--;
        /* More than the bit length of x, or of ~x if x < 0. So |x| < 2^bits. */
        const mp_limb_t top = x[n - 1] ^ fill;
        const size_t bits = 64 * n - (top ? (size_t)__builtin_clzll(top) : 63) + 1;
        most = bits > most ? bits : most;
    }
    return most;
}

static mpgpu_batch *batch_of(const mpgpu_poly *u) {
    mpgpu_batch *b = mpgpu_batch_create(u->length, u->n);
    if (b && mpgpu_batch_set(b, u->limbs) == 0)
        return b;
    mpgpu_batch_destroy(b);
    return NULL;
}

/* Computes w = u v. In the kernels' products, each coefficient has a slot of `slot` 32-bit
 * words. */
static int compute(mpgpu_batch *w, const mpgpu_poly *u, const mpgpu_poly *v, size_t slot) {
    mpgpu_batch *x = batch_of(u), *y = u == v ? x : batch_of(v);
    int error = MPGPU_NO_MEMORY;
    if (x && y)
        error = batch_task_perform(&(struct batch_task){
            .op = JOB_poly_mul,
            .operands = 2,
            .results = 1,
            .u = {x, y},
            .r = {w},
            .parameter = {[JOB_POLYS] = 1, [JOB_SLOT] = slot, [JOB_IS_SIGNED] = 1}});
    mpgpu_batch_destroy(u == v ? NULL : y);
    mpgpu_batch_destroy(x);
    return error;
}

int poly_multiply(mp_limb_t **rp, size_t *n, const mpgpu_poly *u, const mpgpu_poly *v) {
    const size_t terms = u->length < v->length ? u->length : v->length;
    const size_t bits = bits_of(u) + bits_of(v) + 64 - (size_t)__builtin_clzll(terms) + 1;
    /* a slot must also have room for the limbs of an operand's coefficient */
    size_t slot = ceil_div(bits, 32), least = 2 * (u->n > v->n ? u->n : v->n);
    slot = slot < least ? least : slot;
    *n = ceil_div(slot, 2);
    mpgpu_batch *w = mpgpu_batch_create(u->length + v->length - 1, *n);
    *rp = w ? malloc(batch_size(w) * sizeof **rp) : NULL;
    unsigned failures = 0;
    int error;
    do {
        error = *rp ? compute(w, u, v, slot) : batch_fail(MPGPU_NO_MEMORY);
        if (!error)
            error = mpgpu_batch_get(*rp, w);
    } while (batch_is_repeated(error, &failures));
    mpgpu_batch_destroy(w);
    if (error) {
        free(*rp);
        *rp = NULL;
    }
    return error;
}

static int multiply_residues(mp_limb_t **rp, const mpgpu_poly *u, const mpgpu_poly *v) {
    const size_t length = u->length + v->length - 1;
    struct poly_ring ring;
    *rp = NULL;
    int error = poly_ring_open(&ring, u->modulus);
    if (!error)
        error = poly_ring_alloc(&ring, rp, length);
    if (!error)
        error = poly_ring_mul(&ring, *rp, 0, length, (struct poly_array){u->limbs, u->length},
                              (struct poly_array){v->limbs, v->length}, 1);
    if (error) {
        poly_ring_free(&ring, *rp, length);
        *rp = NULL;
    }
    poly_ring_close(&ring);
    return error;
}

EXPORT int mpgpu_poly_mul(mpgpu_poly *r, const mpgpu_poly *u, const mpgpu_poly *v) {
    mp_limb_t *limbs = NULL;
    int error = poly_are_alike(u, v, r);
    if (error)
        return error;
    const size_t length = u->length && v->length ? u->length + v->length - 1 : 0;
    size_t n = u->n;
    if (length > 0)
        error = u->has_modulus ? multiply_residues(&limbs, u, v) : poly_multiply(&limbs, &n, u, v);
    if (!error)
        poly_take(r, limbs, length, n);
    return error;
}

EXPORT int mpgpu_poly_sqr(mpgpu_poly *r, const mpgpu_poly *u) {
    return mpgpu_poly_mul(r, u, u);
}
