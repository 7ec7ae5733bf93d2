/* SPDX-License-Identifier: LGPL-3.0-or-later
 * Operations of modular batches (include/mpgpu.h), and GMP's result of each: for
 * unit/modular/test_modular_batch.c and test_barrett_batch.c. */
#ifndef MPGPU_TESTS_MODULAR_CALLS_H
#define MPGPU_TESTS_MODULAR_CALLS_H

#include "include/mpgpu.h"
#include "lib/gmp/real.h"
#include "tests/support/backends.h"

enum what { REDUCE, REDUCE_LONG, ADD, SUB, MUL, SQR, POW, POW_SEC, WHATS };
static const char *const names[] = {"mod", "mod of 2n", "add", "sub", "mul", "sqr", "pow", "sec"};
static const unsigned all = (1u << WHATS) - 1, cheap = (1u << POW) - 1;

/* Batches of random limbs, and what is in them. */
struct numbers {
    size_t count, n;
    mp_limb_t *xp;
    mpgpu_batch *b;
};

static struct numbers random_numbers(size_t count, size_t n) {
    struct numbers x = {count, n, limbs(count * n), mpgpu_batch_create(count, n)};
    ck_assert_ptr_nonnull(x.b);
    for (size_t i = 0; i < count; i++)
        testing_limbs(x.xp + i * n, n);
    return x;
}

static void give(struct numbers *x) {
    ck_assert_int_eq(mpgpu_batch_set(x->b, x->xp), 0);
}

static void drop(struct numbers *x) {
    mpgpu_batch_destroy(x->b);
    free(x->xp);
}

/* A view of number i, or of the one for all. */
static void view(mpz_ptr x, const struct numbers *from, size_t i) {
    mpz_roinit_n(x, from->xp + (from->count == 1 ? 0 : i) * from->n, (mp_size_t)from->n);
}

/* What GMP makes of u, v and m. */
static void right(mpz_ptr r, enum what what, mpz_srcptr u, mpz_srcptr v, mpz_srcptr m) {
    switch (what) {
    case ADD:
        real.mpz_add(r, u, v);
        break;
    case SUB:
        real.mpz_sub(r, u, v);
        break;
    case MUL:
    case SQR:
        real.mpz_mul(r, u, what == SQR ? u : v);
        break;
    case POW:
    case POW_SEC:
        real.mpz_powm(r, u, v, m);
        return;
    default:
        mpz_set(r, u);
    }
    real.mpz_mod(r, r, m);
}

/* `got`, which lies on the device or not, is u `what` v modulo m. */
static void expect(mpgpu_batch *got, int on_device, enum what what, const struct numbers *u,
                   const struct numbers *v, const struct numbers *m) {
    size_t n = m->n;
    mp_limb_t *rp = limbs(u->count * n);
    mpz_t r, x, y, z, g;
    mpz_init(r);
    ck_assert_int_eq(mpgpu_batch_on_device(got), on_device);
    ck_assert_int_eq(mpgpu_batch_get(rp, got), 0);
    for (size_t i = 0; i < u->count; i++) {
        view(x, u, i);
        view(y, v, i);
        view(z, m, i);
        right(r, what, x, y, z);
        mpz_roinit_n(g, rp + i * n, (mp_size_t)n);
        ck_assert_msg(mpz_cmp(r, g) == 0, "%s: number %zu of %zu, %zu limbs, %zu moduli, e of %zu",
                      names[what], i, u->count, n, m->count, v->n);
    }
    mpz_clear(r);
    free(rp);
}

static int perform(enum what what, mpgpu_batch *r, mpgpu_batch *u, mpgpu_batch *v,
                   mpgpu_batch_modulus *m) {
    switch (what) {
    case ADD:
        return mpgpu_batch_mod_add(r, u, v, m);
    case SUB:
        return mpgpu_batch_mod_sub(r, u, v, m);
    case MUL:
        return mpgpu_batch_mod_mul(r, u, v, m);
    case SQR:
        return mpgpu_batch_mod_sqr(r, u, m);
    case POW:
        return mpgpu_batch_mod_pow(r, u, v, m);
    case POW_SEC:
        return mpgpu_batch_mod_pow_sec(r, u, v, m);
    default:
        return mpgpu_batch_mod(r, u, m);
    }
}

#endif
