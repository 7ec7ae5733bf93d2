/* SPDX-License-Identifier: LGPL-3.0-or-later
 * Arithmetic of arrays of residues modulo n. Products are batch operations, which the device
 * computes, otherwise GMP (compat/batch/task.h). */
#include "compat/poly/poly_ring.h"

#include <stdlib.h>
#include <string.h>

#include "lib/base/ceil_div.h"
#include "lib/gmp/normalize.h"
#include "lib/memory/wipe.h"

/* A coefficient of a product may have this many bits more than two factors together, because a
 * polynomial has fewer than 2^(SPARE_BITS - 1) coefficients. */
enum { SPARE_BITS = 40 };

size_t poly_ring_limbs(mpz_srcptr modulus) {
    const size_t bits = normalize_bits(mpz_limbs_read(modulus), mpz_size(modulus));
    return bits <= 64 ? 1 : ceil_div(2 * bits + SPARE_BITS, 128);
}

int poly_ring_alloc(const struct poly_ring *ring, mp_limb_t **p, size_t count) {
    *p = count < JOB_MOST_LIMBS / ring->k ? calloc(count + 1, ring->k * sizeof **p) : NULL;
    return *p ? 0 : batch_fail(MPGPU_NO_MEMORY);
}

void poly_ring_free(const struct poly_ring *ring, mp_limb_t *p, size_t count) {
    wipe_free(p, p ? count * ring->k * sizeof *p : 0);
}

/* Creates the modulus object, for reductions and for operations on batches. */
static int create_modulus(struct poly_ring *ring) {
    mpgpu_batch *m = mpgpu_batch_create(1, ring->k);
    unsigned failures = 0;
    int error;
    do {
        error = m ? mpgpu_batch_set(m, ring->m) : MPGPU_NO_MEMORY;
        if (!error && !(ring->modulus = mpgpu_batch_modulus_create(m)))
            error = m->where == BATCH_LOST ? MPGPU_LOST : MPGPU_NO_MEMORY;
    } while (batch_is_repeated(error, &failures));
    mpgpu_batch_destroy(m);
    return error;
}

int poly_ring_open(struct poly_ring *ring, mpz_srcptr modulus) {
    *ring = (struct poly_ring){.k = poly_ring_limbs(modulus), .n = modulus};
    ring->bits = normalize_bits(mpz_limbs_read(modulus), mpz_size(modulus));
    ring->limb = mpz_size(modulus) == 1 ? mpz_limbs_read(modulus)[0] : 0;
    int error = poly_ring_alloc(ring, &ring->m, 1);
    if (error)
        return error;
    normalize_pad(ring->m, ring->k, modulus);
    return create_modulus(ring);
}

void poly_ring_close(struct poly_ring *ring) {
    mpgpu_batch_modulus_destroy(ring->modulus);
    poly_ring_free(ring, ring->m, 1);
}

void poly_ring_reduce(const struct poly_ring *ring, mp_limb_t *r, mpz_srcptr x) {
    mpz_t rest;
    mpz_init(rest);
    mpz_mod(rest, x, ring->n);
    normalize_pad(r, ring->k, rest);
    mpz_clear(rest);
}

/* ---- products */

static mpgpu_batch *batch_of(const struct poly_ring *ring, struct poly_array u, size_t polys) {
    mpgpu_batch *b = mpgpu_batch_create(u.length * polys, ring->k);
    if (b && mpgpu_batch_set(b, u.limbs) == 0)
        return b;
    mpgpu_batch_destroy(b);
    return NULL;
}

/* Copies the result w of a batch operation to r. Reduces it modulo n first if n has more than one
 * limb. */
static int deliver(const struct poly_ring *ring, mp_limb_t *r, mpgpu_batch *w) {
    if (ring->limb)
        return mpgpu_batch_get(r, w);
    mpgpu_batch *rest = mpgpu_batch_create(mpgpu_batch_count(w), ring->k);
    int error = rest ? mpgpu_batch_mod(rest, w, ring->modulus) : MPGPU_NO_MEMORY;
    if (!error)
        error = mpgpu_batch_get(r, rest);
    mpgpu_batch_destroy(rest);
    return error;
}

static size_t slot_of(const struct poly_ring *ring, size_t un, size_t vn) {
    const size_t terms = un < vn ? un : vn;
    return ceil_div(2 * ring->bits + 64 - (size_t)__builtin_clzll(terms), 32);
}

/* Computes poly_ring_mul. Returns MPGPU_LOST if the device fails. */
static int multiply(const struct poly_ring *ring, mp_limb_t *r, size_t low, size_t length,
                    struct poly_array u, struct poly_array v, size_t polys) {
    const bool is_square = u.limbs == v.limbs && u.length == v.length;
    mpgpu_batch *x = batch_of(ring, u, polys), *y = is_square ? x : batch_of(ring, v, polys);
    mpgpu_batch *w = mpgpu_batch_create(length * polys, ring->limb ? 1 : 2 * ring->k);
    int error = MPGPU_NO_MEMORY;
    if (x && y && w)
        error = batch_task_perform(
            &(struct batch_task){.op = JOB_poly_mul,
                                 .operands = 2,
                                 .results = 1,
                                 .u = {x, y},
                                 .r = {w},
                                 .parameter = {[JOB_POLYS] = polys,
                                               [JOB_SLOT] = slot_of(ring, u.length, v.length),
                                               [JOB_LOW] = low,
                                               [JOB_POLY_LIMB] = ring->limb}});
    if (!error)
        error = deliver(ring, r, w);
    mpgpu_batch_destroy(w);
    mpgpu_batch_destroy(is_square ? NULL : y);
    mpgpu_batch_destroy(x);
    return error;
}

int poly_ring_mul(const struct poly_ring *ring, mp_limb_t *r, size_t low, size_t length,
                  struct poly_array u, struct poly_array v, size_t polys) {
    unsigned failures = 0;
    int error;
    do
        error = multiply(ring, r, low, length, u, v, polys);
    while (batch_is_repeated(error, &failures));
    return error;
}

/* ---- sums */

void poly_ring_add(const struct poly_ring *ring, mp_limb_t *r, const mp_limb_t *u,
                   const mp_limb_t *v, size_t count) {
    const mp_size_t k = (mp_size_t)ring->k;
    for (size_t i = 0; i < count; i++, r += k, u += k, v += k) {
        const mp_limb_t carry = mpn_add_n(r, u, v, k);
        if (carry || mpn_cmp(r, ring->m, k) >= 0)
            mpn_sub_n(r, r, ring->m, k);
    }
}

void poly_ring_sub(const struct poly_ring *ring, mp_limb_t *r, const mp_limb_t *u,
                   const mp_limb_t *v, size_t count) {
    const mp_size_t k = (mp_size_t)ring->k;
    for (size_t i = 0; i < count; i++, r += k, u += k, v += k)
        if (mpn_sub_n(r, u, v, k))
            mpn_add_n(r, r, ring->m, k);
}

/* ---- power series */

/* Extends the inverse {r, n} of the power series u by `more` <= n coefficients. If u r = 1 + z^n e,
 * the next coefficients of the inverse are those of -e r. */
static int double_inverse(const struct poly_ring *ring, mp_limb_t *r, size_t n, size_t more,
                          const mp_limb_t *u, size_t un) {
    mp_limb_t *e = NULL, *zero = NULL;
    const struct poly_array head = {u, un < n + more ? un : n + more}, inverse = {r, n};
    const size_t all = head.length + n - 1, known = all < n + more ? all : n + more;
    int error = poly_ring_alloc(ring, &e, more);
    if (!error)
        error = poly_ring_alloc(ring, &zero, more);
    if (!error && known > n)
        error = poly_ring_mul(ring, e, n, known - n, head, inverse, 1);
    if (!error)
        error =
            poly_ring_mul(ring, r + n * ring->k, 0, more, (struct poly_array){e, more}, inverse, 1);
    if (!error)
        poly_ring_sub(ring, r + n * ring->k, zero, r + n * ring->k, more);
    poly_ring_free(ring, e, more);
    poly_ring_free(ring, zero, more);
    return error;
}

int poly_ring_invert(const struct poly_ring *ring, mp_limb_t *r, size_t length, const mp_limb_t *u,
                     size_t un, const mp_limb_t *inverse) {
    int error = 0;
    mpn_copyi(r, inverse, (mp_size_t)ring->k);
    for (size_t n = 1; n < length && !error; n *= 2)
        error = double_inverse(ring, r, n, length - n < n ? length - n : n, u, un);
    return error;
}
