/* SPDX-License-Identifier: LGPL-3.0-or-later
 * Division of polynomials with remainder. Modulo n: inverts the reversed divisor as a power series;
 * its product with the reversed dividend is the reversed quotient. Over Z: computes the quotient
 * modulo a power of 2, and increases this power until the quotient is right. */
#include <stdlib.h>
#include <string.h>

#include "compat/poly/poly.h"
#include "lib/gmp/normalize.h"
#include "lib/gmp/real.h"

/* Copies the highest `count` coefficients of {u, un}, the highest first. */
static void reverse(const struct poly_ring *ring, mp_limb_t *r, size_t count, const mp_limb_t *u,
                    size_t un) {
    for (size_t i = 0; i < count; i++)
        memcpy(r + i * ring->k, u + (un - 1 - i) * ring->k, ring->k * sizeof *r);
}

static void reverse_all(const struct poly_ring *ring, mp_limb_t *r, size_t count) {
    for (size_t i = 0, j = count; i + 1 < j--; i++)
        for (size_t limb = 0; limb < ring->k; limb++) {
            const mp_limb_t x = r[i * ring->k + limb];
            r[i * ring->k + limb] = r[j * ring->k + limb];
            r[j * ring->k + limb] = x;
        }
}

/* Sets r, of ring->k limbs, to the inverse of the leading coefficient of the polynomial v. The
 * caller has checked that the inverse exists. */
static void invert_leading(const struct poly_ring *ring, mp_limb_t *r, const struct poly_array *v) {
    mpz_t x, leading;
    const mp_limb_t *top = v->limbs + (v->length - 1) * ring->k;
    mpz_init(x);
    mpz_roinit_n(leading, top, (mp_size_t)normalize(top, ring->k));
    mpz_invert(x, leading, ring->n);
    normalize_pad(r, ring->k, x);
    mpz_clear(x);
}

/* Sets {q, qn} to the quotient of u by v, qn = u.length - v.length + 1. */
static int quotient(const struct poly_ring *ring, mp_limb_t *q, size_t qn, struct poly_array u,
                    struct poly_array v) {
    const size_t vn = v.length < qn ? v.length : qn;
    mp_limb_t *x = NULL, *y = NULL, *z = NULL;
    int error = poly_ring_alloc(ring, &x, qn);
    if (!error)
        error = poly_ring_alloc(ring, &y, vn);
    if (!error)
        error = poly_ring_alloc(ring, &z, qn + 1);
    if (!error) {
        invert_leading(ring, z + qn * ring->k, &v);
        reverse(ring, x, qn, u.limbs, u.length);
        reverse(ring, y, vn, v.limbs, v.length);
        error = poly_ring_invert(ring, z, qn, y, vn, z + qn * ring->k);
    }
    if (!error)
        error = poly_ring_mul(ring, q, 0, qn, (struct poly_array){x, qn},
                              (struct poly_array){z, qn}, 1);
    if (!error)
        reverse_all(ring, q, qn);
    poly_ring_free(ring, x, qn);
    poly_ring_free(ring, y, vn);
    poly_ring_free(ring, z, qn + 1);
    return error;
}

/* Sets the polynomial {r, v.length - 1} to the remainder u - q v of the division of u by v. */
static int remainder_of(const struct poly_ring *ring, mp_limb_t *r, struct poly_array q,
                        struct poly_array u, struct poly_array v) {
    const size_t rn = v.length - 1;
    if (rn == 0)
        return 0;
    int error = poly_ring_mul(ring, r, 0, rn, q, v, 1);
    if (!error)
        poly_ring_sub(ring, r, u.limbs, r, rn);
    return error;
}

struct division {
    mp_limb_t *q, *r;
    size_t qn, rn;
};

static int divide(const struct poly_ring *ring, struct division *d, struct poly_array u,
                  struct poly_array v) {
    d->qn = u.length - v.length + 1;
    d->rn = v.length - 1;
    int error = poly_ring_alloc(ring, &d->q, d->qn);
    if (!error)
        error = poly_ring_alloc(ring, &d->r, d->rn);
    if (!error)
        error = quotient(ring, d->q, d->qn, u, v);
    if (!error)
        error = remainder_of(ring, d->r, (struct poly_array){d->q, d->qn}, u, v);
    return error;
}

static int divide_residues(struct division *d, const mpgpu_poly *u, const mpgpu_poly *v) {
    struct poly_ring ring;
    int error = poly_ring_open(&ring, u->modulus);
    if (!error)
        error = divide(&ring, d, (struct poly_array){u->limbs, u->length},
                       (struct poly_array){v->limbs, v->length});
    poly_ring_close(&ring);
    return error;
}

/* ---- over Z */

/* Sets the coefficients of r to those of u, reduced modulo the modulus of r. */
static int to_residues(mpgpu_poly *r, const mpgpu_poly *u) {
    mpz_t *c = malloc(u->length * sizeof *c);
    if (!c)
        return batch_fail(MPGPU_NO_MEMORY);
    for (size_t i = 0; i < u->length; i++)
        mpz_init(c[i]);
    int error = mpgpu_poly_get_mpz(c, u->length, u);
    if (!error)
        error = mpgpu_poly_set_mpz(r, c, u->length);
    for (size_t i = 0; i < u->length; i++)
        mpz_clear(c[i]);
    free(c);
    return error;
}

/* Converts u, a polynomial modulo n, to a polynomial r over Z. Each coefficient becomes its residue
 * of the least absolute value. */
static int from_residues(mpgpu_poly *r, const mpgpu_poly *u) {
    const size_t length = u->length;
    mpz_t *c = malloc((length + 1) * sizeof *c);
    if (!c)
        return batch_fail(MPGPU_NO_MEMORY);
    for (size_t i = 0; i <= length; i++)
        mpz_init(c[i]);
    mpz_tdiv_q_2exp(c[length], u->modulus, 1);
    int error = mpgpu_poly_get_mpz(c, length, u);
    for (size_t i = 0; i < length && !error; i++)
        if (mpz_cmp(c[i], c[length]) > 0)
            mpz_sub(c[i], c[i], u->modulus);
    if (!error)
        error = mpgpu_poly_set_mpz(r, c, length);
    for (size_t i = 0; i <= length; i++)
        mpz_clear(c[i]);
    free(c);
    return error;
}

/* Sets r = u - q v over Z. Sets *is_right if r has fewer coefficients than v. */
static int subtract_product(mpgpu_poly *r, bool *is_right, const mpgpu_poly *q, const mpgpu_poly *u,
                            const mpgpu_poly *v) {
    mpgpu_poly *w = mpgpu_poly_create(NULL);
    int error = w ? mpgpu_poly_mul(w, q, v) : MPGPU_NO_MEMORY;
    const size_t wn = mpgpu_poly_length(w), n = (w && w->n > u->n ? w->n : u->n) + 1;
    const size_t length = wn > u->length ? wn : u->length;
    mp_limb_t *limbs = error ? NULL : calloc(length * n + 1, sizeof *limbs), *x = limbs;
    mp_limb_t *y = error ? NULL : malloc(n * sizeof *y);
    for (size_t i = 0; x && y && i < length; i++, x += n) {
        const mp_limb_t *from = u->limbs + i * u->n;
        memset(x, i < u->length && (mp_limb_signed_t)from[u->n - 1] < 0 ? -1 : 0, n * sizeof *x);
        if (i < u->length)
            memcpy(x, from, u->n * sizeof *x);
        from = w->limbs + i * w->n;
        memset(y, i < wn && (mp_limb_signed_t)from[w->n - 1] < 0 ? -1 : 0, n * sizeof *y);
        if (i < wn)
            memcpy(y, from, w->n * sizeof *y);
        mpn_sub_n(x, x, y, (mp_size_t)n);
    }
    if (!error && !(x && y))
        error = batch_fail(MPGPU_NO_MEMORY);
    if (!error)
        poly_take(r, limbs, length, n);
    else
        free(limbs);
    *is_right = !error && r->length < v->length;
    free(y);
    mpgpu_poly_destroy(w);
    return error;
}

/* Computes the quotient modulo 2^bits. Sets *is_right if it is the quotient over Z. */
static int divide_modulo_power(mpgpu_poly *q, mpgpu_poly *r, bool *is_right, const mpgpu_poly *u,
                               const mpgpu_poly *v, size_t bits) {
    struct division d = {NULL};
    mpz_t m;
    mpz_init(m);
    mpz_set_ui(m, 1);
    mpz_mul_2exp(m, m, bits);
    mpgpu_poly *x = mpgpu_poly_create(m), *y = mpgpu_poly_create(m), *z = mpgpu_poly_create(m);
    int error = x && y && z ? to_residues(x, u) : MPGPU_NO_MEMORY;
    if (!error)
        error = to_residues(y, v);
    /* the leading coefficient of u may be 0 modulo 2^bits */
    if (!error && x->length >= y->length)
        error = divide_residues(&d, x, y);
    if (!error && d.q) {
        poly_take(z, d.q, d.qn, z->n);
        d.q = NULL;
    }
    if (!error)
        error = from_residues(q, z);
    if (!error)
        error = subtract_product(r, is_right, q, u, v);
    free(d.q);
    free(d.r);
    mpgpu_poly_destroy(x);
    mpgpu_poly_destroy(y);
    mpgpu_poly_destroy(z);
    mpz_clear(m);
    return error;
}

static bool has_unit(const mpgpu_poly *v) {
    const mp_limb_t *x = v->limbs + (v->length - 1) * v->n;
    const mp_limb_t fill = (mp_limb_t)((mp_limb_signed_t)x[v->n - 1] >> 63);
    bool is_one = fill ? x[0] == ~(mp_limb_t)0 : x[0] == 1;
    for (size_t i = 1; i < v->n; i++)
        is_one = is_one && x[i] == fill;
    return is_one;
}

/* Returns true if the leading coefficient of v has an inverse modulo n, the modulus of v. */
static bool has_invertible(const mpgpu_poly *v) {
    mpz_t x, leading;
    const mp_limb_t *top = v->limbs + (v->length - 1) * v->n;
    mpz_init(x);
    mpz_roinit_n(leading, top, (mp_size_t)normalize(top, v->n));
    mpz_gcd(x, leading, v->modulus);
    const bool is_one = mpz_cmp_ui(x, 1) == 0;
    mpz_clear(x);
    return is_one;
}

/* Fails unless the leading coefficient of v has an inverse. */
static int check_leading(const mpgpu_poly *v) {
    if (v->has_modulus ? has_invertible(v) : has_unit(v))
        return 0;
    return batch_fail_at(v->length - 1,
                         v->has_modulus
                             ? "of the divisor's coefficients has no inverse modulo the modulus"
                             : "of the divisor's coefficients is not 1 or -1");
}

/* Divides polynomials over Z, if v has the leading coefficient 1 or -1. The quotient is computed
 * modulo 2^bits, and `bits` is doubled until the quotient is right. A quotient over Z is unique. */
static int divide_integers(mpgpu_poly *q, mpgpu_poly *r, const mpgpu_poly *u, const mpgpu_poly *v) {
    bool is_right = false;
    int error = 0;
    for (size_t bits = 64 * (u->n + v->n); !error && !is_right; bits *= 2)
        error = divide_modulo_power(q, r, &is_right, u, v, bits);
    return error;
}

/* ---- */

/* If is_done, moves the coefficients of x to *r, unless r is NULL. Destroys x. */
static void move(mpgpu_poly *r, mpgpu_poly *x, bool is_done) {
    if (r && x && is_done) {
        poly_take(r, x->limbs, x->length, x->n);
        x->limbs = NULL;
        x->length = 0;
    }
    mpgpu_poly_destroy(x);
}

static int copy(mpgpu_poly *r, const mpgpu_poly *u) {
    mp_limb_t *limbs = malloc((u->length * u->n + 1) * sizeof *limbs);
    if (!limbs)
        return batch_fail(MPGPU_NO_MEMORY);
    if (u->length > 0)
        memcpy(limbs, u->limbs, u->length * u->n * sizeof *limbs);
    poly_take(r, limbs, u->length, u->n);
    return 0;
}

static int divide_any(mpgpu_poly *q, mpgpu_poly *r, const mpgpu_poly *u, const mpgpu_poly *v) {
    struct division d = {NULL};
    if (u->length < v->length)
        return copy(r, u);
    if (!u->has_modulus)
        return divide_integers(q, r, u, v);
    int error = divide_residues(&d, u, v);
    if (!error) {
        poly_take(q, d.q, d.qn, u->n);
        poly_take(r, d.r, d.rn, u->n);
    } else {
        free(d.q);
        free(d.r);
    }
    return error;
}

EXPORT int mpgpu_poly_divrem(mpgpu_poly *q, mpgpu_poly *r, const mpgpu_poly *u,
                             const mpgpu_poly *v) {
    int error = poly_are_alike(u, v, q ? q : r);
    if (!error)
        error = q == r ? batch_fail(MPGPU_ARGUMENTS) : poly_are_alike(u, v, r ? r : q);
    if (!error && v->length == 0)
        error = batch_fail_text(MPGPU_DIVIDE_BY_ZERO, "division by the polynomial 0");
    if (!error)
        error = check_leading(v);
    if (error)
        return error;
    mpz_srcptr modulus = u->has_modulus ? u->modulus : NULL;
    mpgpu_poly *x = mpgpu_poly_create(modulus), *y = mpgpu_poly_create(modulus);
    error = x && y ? divide_any(x, y, u, v) : MPGPU_NO_MEMORY;
    move(q, x, !error);
    move(r, y, !error);
    return error;
}
