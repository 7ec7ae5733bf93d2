/* SPDX-License-Identifier: LGPL-3.0-or-later
 * Values of a polynomial modulo n at many points, and the polynomial with given values, by a tree
 * of products. A node with the points x_1 to x_s is the polynomial T(z) = (1 - x_1 z) ... (1 - x_s
 * z). One batch of products computes a level, because all its nodes have the same length. Zero
 * points, whose factor is 1, are added up to a power of 2. Values are computed without divisions,
 * by the transposed algorithm (Bernstein, "Fast multiplication and its applications", section 18):
 * with 1 / (1 - x z) = 1 + x z + x^2 z^2 + ..., the value at x is a sum of products of
 * coefficients. */
#include <stdlib.h>
#include <string.h>

#include "compat/poly/poly.h"
#include "lib/gmp/normalize.h"

enum { LEVELS = 48 };

/* Level l has count >> l nodes of (1 << l) + 1 coefficients. */
struct point_tree {
    const struct poly_ring *ring;
    size_t points, count; /* count: the number of leaves, a power of 2 that is at least `points` */
    unsigned top;         /* the level of the root */
    mp_limb_t *level[LEVELS];
};

static size_t nodes(const struct point_tree *t, unsigned level) {
    return t->count >> level;
}

static size_t size_of(unsigned level) {
    return ((size_t)1 << level) + 1;
}

static void copy(const struct poly_ring *ring, mp_limb_t *r, size_t at, const mp_limb_t *u,
                 size_t from, size_t count) {
    memcpy(r + at * ring->k, u + from * ring->k, count * ring->k * sizeof *r);
}

/* ---- the tree */

static void free_tree(struct point_tree *t) {
    for (unsigned level = 0; level < LEVELS; level++)
        if (t->level[level])
            poly_ring_free(t->ring, t->level[level], nodes(t, level) * size_of(level));
}

/* Copies the first (which = 0) or second (which = 1) node of each pair of a level: 2^level + 1
 * coefficients for each node. */
static void copy_half(const struct point_tree *t, mp_limb_t *r, unsigned level, size_t which) {
    const size_t size = size_of(level);
    for (size_t i = 0; i < nodes(t, level) / 2; i++)
        copy(t->ring, r, i * size, t->level[level], (2 * i + which) * size, size);
}

static int make_level(struct point_tree *t, unsigned level) {
    const size_t size = size_of(level - 1), all = nodes(t, level) * size;
    mp_limb_t *u = NULL, *v = NULL;
    int error = poly_ring_alloc(t->ring, &u, all);
    if (!error)
        error = poly_ring_alloc(t->ring, &v, all);
    if (!error)
        error = poly_ring_alloc(t->ring, &t->level[level], nodes(t, level) * size_of(level));
    if (!error) {
        copy_half(t, u, level - 1, 0);
        copy_half(t, v, level - 1, 1);
        error =
            poly_ring_mul(t->ring, t->level[level], 0, size_of(level), (struct poly_array){u, size},
                          (struct poly_array){v, size}, nodes(t, level));
    }
    poly_ring_free(t->ring, u, all);
    poly_ring_free(t->ring, v, all);
    return error;
}

/* Sets the leaves to 1 - x z. */
static int make_leaves(struct point_tree *t, const mpz_t *x) {
    const struct poly_ring *ring = t->ring;
    int error = poly_ring_alloc(ring, &t->level[0], 2 * t->count);
    mp_limb_t *zero = NULL;
    if (!error)
        error = poly_ring_alloc(ring, &zero, 1);
    for (size_t i = 0; i < t->count && !error; i++) {
        mp_limb_t *leaf = t->level[0] + 2 * i * ring->k, *point = leaf + ring->k;
        leaf[0] = ring->limb != 1; /* modulo 1, 1 is 0 */
        if (i < t->points) {
            poly_ring_reduce(ring, point, x[i]);
            poly_ring_sub(ring, point, zero, point, 1);
        }
    }
    poly_ring_free(ring, zero, 1);
    return error;
}

static int make_tree(struct point_tree *t, const struct poly_ring *ring, const mpz_t *x,
                     size_t points) {
    *t = (struct point_tree){.ring = ring, .points = points, .count = 1};
    while (t->count < points) {
        t->count *= 2;
        t->top++;
    }
    int error = make_leaves(t, x);
    for (unsigned level = 1; level <= t->top && !error; level++)
        error = make_level(t, level);
    return error;
}

/* ---- values */

/* Goes down one level in the evaluation at many points. Replaces each node's `size` coefficients in
 * {w, count} by those of its two children. A child's coefficients are the middle of a product: the
 * parent's coefficients times the reversed polynomial of the child's sibling. */
static int descend(const struct point_tree *t, mp_limb_t *w, unsigned level) {
    const struct poly_ring *ring = t->ring;
    const size_t size = (size_t)1 << level, half = size / 2, children = 2 * nodes(t, level);
    mp_limb_t *u = NULL, *v = NULL;
    int error = poly_ring_alloc(ring, &u, children * size);
    if (!error)
        error = poly_ring_alloc(ring, &v, children * (half + 1));
    for (size_t i = 0; i < children && !error; i++) {
        copy(ring, u, i * size, w, i / 2 * size, size);
        for (size_t j = 0; j <= half; j++)
            copy(ring, v, i * (half + 1) + j, t->level[level - 1], (i ^ 1) * (half + 1) + half - j,
                 1);
    }
    if (!error)
        error = poly_ring_mul(ring, w, half, half, (struct poly_array){u, size},
                              (struct poly_array){v, half + 1}, children);
    poly_ring_free(ring, u, children * size);
    poly_ring_free(ring, v, children * (half + 1));
    return error;
}

/* Begins the evaluation of f at the tree's points. Sets {w, count} to coefficients of f times the
 * reversed power series 1 / T, where T is the root's polynomial. */
static int begin_values(const struct point_tree *t, mp_limb_t *w, struct poly_array f) {
    const struct poly_ring *ring = t->ring;
    const size_t n = f.length, most = n < t->count ? n : t->count;
    mp_limb_t *u = NULL, *v = NULL;
    int error = poly_ring_alloc(ring, &u, n);
    if (!error)
        error = poly_ring_alloc(ring, &v, n);
    if (!error)
        error = poly_ring_invert(ring, u, n, t->level[t->top], size_of(t->top), t->level[t->top]);
    for (size_t i = 0; i < n && !error; i++)
        copy(ring, v, i, u, n - 1 - i, 1);
    if (!error)
        error = poly_ring_mul(ring, w, n - 1, most, f, (struct poly_array){v, n}, 1);
    poly_ring_free(ring, u, n);
    poly_ring_free(ring, v, n);
    return error;
}

/* Sets {w, count} to the values at the tree's points; w is all 0 before. */
static int compute_values(const struct point_tree *t, mp_limb_t *w, struct poly_array f) {
    int error = f.length ? begin_values(t, w, f) : 0;
    for (unsigned level = t->top; level > 0 && f.length && !error; level--)
        error = descend(t, w, level);
    return error;
}

static void set_mpz(const struct poly_ring *ring, mpz_ptr y, const mp_limb_t *x) {
    const size_t n = normalize(x, ring->k);
    memcpy(mpz_limbs_write(y, (mp_size_t)(n ? n : 1)), x, n * sizeof *x);
    mpz_limbs_finish(y, (mp_size_t)n);
}

/* Computes the values at `points` points. */
static int values(const struct poly_ring *ring, mpz_t *y, struct poly_array f, const mpz_t *x,
                  size_t points) {
    struct point_tree t;
    mp_limb_t *w = NULL;
    int error = make_tree(&t, ring, x, points);
    if (!error)
        error = poly_ring_alloc(ring, &w, t.count);
    if (!error)
        error = compute_values(&t, w, f);
    for (size_t i = 0; i < points && !error; i++)
        set_mpz(ring, y[i], w + i * ring->k);
    poly_ring_free(ring, w, t.count);
    free_tree(&t);
    return error;
}

static int needs_modulus(const mpgpu_poly *u) {
    return u->has_modulus
               ? 0
               : batch_fail_text(MPGPU_ARGUMENTS, "a polynomial without a modulus has no values at "
                                                  "many points here");
}

/* Points are processed in groups. A group has at least 2^GROUP_LOG points, and at least one point
 * for each coefficient; the last group may have fewer. */
enum { GROUP_LOG = 10 };

EXPORT int mpgpu_poly_evaluate(mpz_t *y, const mpgpu_poly *u, const mpz_t *x, size_t count) {
    struct poly_ring ring;
    size_t group = (size_t)1 << GROUP_LOG;
    if (!u || ((!x || !y) && count > 0))
        return batch_fail(MPGPU_ARGUMENTS);
    int error = needs_modulus(u);
    if (error || count == 0)
        return error;
    while (group < u->length)
        group *= 2;
    error = poly_ring_open(&ring, u->modulus);
    for (size_t i = 0; i < count && !error; i += group)
        error = values(&ring, y + i, (struct poly_array){u->limbs, u->length}, x + i,
                       count - i < group ? count - i : group);
    poly_ring_close(&ring);
    return error;
}

/* ---- interpolation */

/* Sets {d, points} to the derivative of (x - x_1) ... (x - x_points), whose coefficients are in the
 * root of the tree. */
static void derive(const struct point_tree *t, mp_limb_t *d) {
    const struct poly_ring *ring = t->ring;
    mpz_t c;
    mpz_init(c);
    for (size_t i = 1; i <= t->points; i++) {
        set_mpz(ring, c, t->level[t->top] + (t->points - i) * ring->k);
        mpz_mul_ui(c, c, i);
        poly_ring_reduce(ring, d + (i - 1) * ring->k, c);
    }
    mpz_clear(c);
}

/* Sets r[i] to y[i] / c[i], for i < points. Returns MPGPU_LOST if the device fails. */
static int divide_values(const struct point_tree *t, mp_limb_t *r, const mp_limb_t *c,
                         const mpz_t *y) {
    const struct poly_ring *ring = t->ring;
    const size_t n = t->points;
    mpgpu_batch *u = mpgpu_batch_create(n, ring->k), *v = mpgpu_batch_create(n, ring->k);
    mpgpu_batch *exists = mpgpu_batch_create(n, 1);
    mp_limb_t *good = malloc(n * sizeof *good);
    int error = u && v && exists && good ? mpgpu_batch_set(u, c) : batch_fail(MPGPU_NO_MEMORY);
    if (!error)
        error = mpgpu_batch_mod_invert(u, exists, u, ring->modulus);
    if (!error)
        error = mpgpu_batch_get(good, exists);
    for (size_t i = 0; i < n && !error; i++)
        error = good[i] ? (poly_ring_reduce(ring, r + i * ring->k, y[i]), 0)
                        : batch_fail_at(i, "of the points differs from another point by a number "
                                           "without an inverse");
    if (!error)
        error = mpgpu_batch_set(v, r);
    if (!error)
        error = mpgpu_batch_mod_mul(u, u, v, ring->modulus);
    if (!error)
        error = mpgpu_batch_get(r, u);
    free(good);
    mpgpu_batch_destroy(u);
    mpgpu_batch_destroy(v);
    mpgpu_batch_destroy(exists);
    return error;
}

/* Goes up one level in the interpolation, to `level`. c has one numerator for each node. A parent's
 * numerator is the sum of two products: each child's numerator times its sibling's polynomial. */
static int ascend(const struct point_tree *t, mp_limb_t *c, unsigned level) {
    const struct poly_ring *ring = t->ring;
    const size_t size = (size_t)1 << level, half = size / 2, children = 2 * nodes(t, level);
    mp_limb_t *v = NULL, *w = NULL;
    int error = poly_ring_alloc(ring, &v, children * (half + 1));
    if (!error)
        error = poly_ring_alloc(ring, &w, children * size);
    for (size_t i = 0; i < children && !error; i++)
        copy(ring, v, i * (half + 1), t->level[level - 1], (i ^ 1) * (half + 1), half + 1);
    if (!error)
        error = poly_ring_mul(ring, w, 0, size, (struct poly_array){c, half},
                              (struct poly_array){v, half + 1}, children);
    for (size_t i = 0; i < children / 2 && !error; i++)
        poly_ring_add(ring, c + i * size * ring->k, w + 2 * i * size * ring->k,
                      w + (2 * i + 1) * size * ring->k, size);
    poly_ring_free(ring, v, children * (half + 1));
    poly_ring_free(ring, w, children * size);
    return error;
}

/* Sets {c, count} to the coefficients of the interpolated polynomial, the coefficient of the
 * highest power first. */
static int interpolate(const struct point_tree *t, mp_limb_t *c, const mpz_t *y) {
    const size_t n = t->points;
    unsigned failures = 0;
    mp_limb_t *d = NULL;
    int error = poly_ring_alloc(t->ring, &d, n);
    if (!error) {
        derive(t, d);
        error = compute_values(t, c, (struct poly_array){d, n});
    }
    if (!error) {
        do
            error = divide_values(t, d, c, y);
        while (batch_is_repeated(error, &failures));
        copy(t->ring, c, 0, d, 0, n);
    }
    if (!error)
        memset(c + n * t->ring->k, 0, (t->count - n) * t->ring->k * sizeof *c);
    for (unsigned level = 1; level <= t->top && !error; level++)
        error = ascend(t, c, level);
    poly_ring_free(t->ring, d, n);
    return error;
}

static int interpolate_in(const struct poly_ring *ring, mpgpu_poly *r, const mpz_t *x,
                          const mpz_t *y, size_t count) {
    struct point_tree t;
    mp_limb_t *c = NULL, *limbs = NULL;
    int error = make_tree(&t, ring, x, count);
    if (!error)
        error = poly_ring_alloc(ring, &c, t.count);
    if (!error)
        error = poly_ring_alloc(ring, &limbs, count);
    if (!error)
        error = interpolate(&t, c, y);
    for (size_t i = 0; i < count && !error; i++)
        copy(ring, limbs, i, c, count - 1 - i, 1);
    poly_ring_free(ring, c, t.count);
    if (!error)
        poly_take(r, limbs, count, ring->k);
    else
        poly_ring_free(ring, limbs, count);
    free_tree(&t);
    return error;
}

EXPORT int mpgpu_poly_interpolate(mpgpu_poly *r, const mpz_t *x, const mpz_t *y, size_t count) {
    struct poly_ring ring;
    if (!r || !x || !y || count == 0)
        return batch_fail(MPGPU_ARGUMENTS);
    int error = needs_modulus(r);
    if (error)
        return error;
    error = poly_ring_open(&ring, r->modulus);
    if (!error)
        error = interpolate_in(&ring, r, x, y, count);
    poly_ring_close(&ring);
    return error;
}
