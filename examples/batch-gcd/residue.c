/* SPDX-License-Identifier: LGPL-3.0-or-later
 * Multiplies the products of a set's groups of moduli, two by two.  GMP reduces only results that
 * are more than a quarter longer than the modulus. */
#include "examples/batch-gcd/residue.h"

#include <mpgpu.h>
#include <stdlib.h>

#include "examples/batch-gcd/util.h"

/* AT_ONCE: how many products of groups are in memory at once, at most; with moduli of 2048 bits
 * they take 128 MiB.  DEVICE_BITS: the least bits of a modulus for which a device is faster. */
enum { AT_ONCE = 512, DEVICE_BITS = 1 << 18, LEVELS = 64 };

struct residue {
    const struct set *set;
    const struct twins *twins;
    mpz_srcptr modulus;
    /* x[0] has the product of the groups before group `first`, x[1] the product of group `first` */
    size_t first;
    mpz_t *x;
    size_t step; /* distance in x between two numbers that are multiplied next */
};

/* Reduces x if it is more than a quarter longer than the modulus. */
static void reduce(mpz_ptr x, mpz_srcptr modulus) {
    size_t bits = mpz_sizeinbase(modulus, 2);
    if (mpz_sizeinbase(x, 2) > bits + bits / 4)
        mpz_mod(x, x, modulus);
}

static void read_one(void *residue, size_t i) {
    struct residue *r = residue;
    set_product(r->x[i + 1], r->set, r->first + i);
    if (r->twins->count > 0)
        twins_divide(r->x[i + 1], r->twins, r->first + i);
    reduce(r->x[i + 1], r->modulus);
}

/* ---- by GMP */

static void join(void *residue, size_t i) {
    struct residue *r = residue;
    mpz_ptr u = r->x[2 * i * r->step], v = r->x[(2 * i + 1) * r->step];
    mpz_mul(u, u, v);
    mpz_realloc2(v, 0);
    reduce(u, r->modulus);
}

static void join_by_gmp(struct residue *r, size_t count) {
    for (r->step = 1; r->step < count; r->step *= 2)
        util_parallel_for(join, r, (count + r->step - 1) / (2 * r->step));
}

/* ---- the same products, computed on the device */

struct device {
    mpgpu_queue *queue;
    mpgpu_modulus *modulus;
};

static void need(bool is_done) {
    if (!is_done)
        util_die("product of the set", mpgpu_error());
}

static mpgpu_number *number(const struct device *d, mpz_srcptr x) {
    mpgpu_number *y = mpgpu_number_create(d->queue);
    need(y && mpgpu_number_set_mpz(y, x) == 0);
    return y;
}

static void device_open(struct device *d, mpz_srcptr modulus) {
    d->queue = mpgpu_queue_create();
    need(d->queue);
    mpgpu_number *m = number(d, modulus);
    d->modulus = mpgpu_modulus_create(m);
    need(d->modulus);
    mpgpu_number_destroy(m);
}

static void device_close(struct device *d) {
    mpgpu_modulus_destroy(d->modulus);
    mpgpu_queue_destroy(d->queue);
}

/* Multiplies u by v, and destroys v. */
static void join_two(const struct device *d, mpgpu_number *u, mpgpu_number *v) {
    need(mpgpu_modulus_mul(u, u, v, d->modulus) == 0);
    mpgpu_number_destroy(v);
}

/* Multiplies two numbers as soon as both are products of the same number of groups, so that only
 * few numbers are on the device at once. */
static void join_on_device(struct residue *r, const struct device *d, size_t count) {
    mpgpu_number *y[LEVELS];
    unsigned top = 0;
    for (size_t i = 0; i < count; i++) {
        y[top++] = number(d, r->x[i]);
        for (size_t k = i; k & 1; k >>= 1, top--)
            join_two(d, y[top - 2], y[top - 1]);
    }
    for (; top > 1; top--)
        join_two(d, y[top - 2], y[top - 1]);
    need(mpgpu_number_get_mpz(r->x[0], y[0]) == 0);
    mpgpu_number_destroy(y[0]);
}

void residue(mpz_ptr x, const struct set *s, const struct twins *t, mpz_srcptr n, bool by_gmp) {
    size_t groups = set_groups(s), count;
    struct residue r = {.set = s, .twins = t, .modulus = n, .x = util_numbers(AT_ONCE + 1)};
    struct device d = {0};
    bool is_on_device = !by_gmp && mpz_sizeinbase(n, 2) >= DEVICE_BITS && mpgpu_wait();
    if (is_on_device)
        device_open(&d, n);
    mpz_set_ui(r.x[0], 1);
    util_progress("product of the set");
    for (; r.first < groups; r.first += count) {
        count = groups - r.first < AT_ONCE ? groups - r.first : AT_ONCE;
        util_parallel_for(read_one, &r, count);
        if (is_on_device)
            join_on_device(&r, &d, count + 1);
        else
            join_by_gmp(&r, count + 1);
    }
    device_close(&d);
    mpz_mod(x, r.x[0], n);
    util_free_numbers(r.x, AT_ONCE + 1);
}
