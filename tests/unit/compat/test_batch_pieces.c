/* SPDX-License-Identifier: LGPL-3.0-or-later
 * Batches larger than the memory of the device (option `memory`): they are computed there in
 * pieces, and their results are GMP's. */
#include <string.h>

#include "compat/batch/task.h"
#include "include/mpgpu.h"
#include "lib/base/conf.h"
#include "lib/gmp/gmp_internal.h"
#include "tests/support/backends.h"

enum { N = 64, COUNT = 24001, ALL = N * COUNT }; /* 12 MiB; MPGPU_CONF has half of three */

static mp_limb_t *up, *vp, *wp, *rp, *right;

static void open_with(struct test_backend backend, int verify) {
    if (backend.kernels_of_gpus)
        gpu_use_kernels_of_gpus();
    snprintf(mpgpu_conf.backend, sizeof mpgpu_conf.backend, "%s", backend.name);
    mpgpu_conf.verify = verify;
    up = limbs(ALL);
    vp = limbs(ALL);
    wp = limbs(ALL);
    rp = limbs(2 * ALL);
    right = limbs(2 * ALL);
    testing_limbs(wp, ALL);
    for (size_t i = 0; i < COUNT; i++) {
        testing_limbs(up + i * N, N);
        testing_limbs(vp + i * N, N);
    }
}

static mpgpu_batch *batch(size_t n, const mp_limb_t *xp) {
    mpgpu_batch *b = mpgpu_batch_create(COUNT, n);
    ck_assert_ptr_nonnull(b);
    if (xp)
        ck_assert_int_eq(mpgpu_batch_set(b, xp), 0);
    return b;
}

static unsigned long sent;

/* Sent to the device, which had no room for all of it. */
static void expect(mpgpu_batch *r, const char *what) {
    size_t n = mpgpu_batch_limbs(r);
    ck_assert_uint_eq(call_sent(), ++sent);
    ck_assert_int_eq(mpgpu_batch_on_device(r), 0);
    ck_assert_int_eq(mpgpu_batch_get(rp, r), 0);
    for (size_t i = 0; i < COUNT * n; i++)
        ck_assert_msg(rp[i] == right[i], "%s: number %zu limb %zu", what, i / n, i % n);
}

static void compare_products(mpgpu_batch *u, mpgpu_batch *v) {
    mpgpu_batch *r = batch(2 * N, NULL);
    for (size_t i = 0; i < COUNT; i++)
        mpn_mul_n(right + 2 * i * N, up + i * N, vp + i * N, N);
    ck_assert_int_eq(mpgpu_batch_mul(r, u, v), 0);
    expect(r, "product");
    for (size_t i = 0; i < COUNT; i++)
        mpn_sqr(right + 2 * i * N, up + i * N, N);
    ck_assert_int_eq(mpgpu_batch_sqr(r, u), 0);
    expect(r, "square");
    mpgpu_batch_destroy(r);
}

static void compare_sum(mpgpu_batch *u, mpgpu_batch *v, mpgpu_batch *w) {
    mpgpu_batch *term[] = {u, v, w, v}, *cy = batch(1, NULL);
    mp_limb_t *tops = limbs(COUNT), *cp = limbs(COUNT);
    for (size_t i = 0; i < COUNT; i++) {
        mp_limb_t *here = right + i * N;
        tops[i] = mpn_add_n(here, up + i * N, vp + i * N, N);
        tops[i] += mpn_add_n(here, here, wp + i * N, N);
        tops[i] -= mpn_sub_n(here, here, vp + i * N, N);
    }
    ck_assert_int_eq(mpgpu_batch_sum(w, cy, term, 4, 8), 0); /* in place */
    expect(w, "sum");
    ck_assert_int_eq(mpgpu_batch_get(cp, cy), 0);
    ck_assert_int_eq(memcmp(cp, tops, COUNT * sizeof *cp), 0);
    mpgpu_batch_destroy(cy);
    free(tops);
    free(cp);
}

static void compare_selection(mpgpu_batch *u, mpgpu_batch *v) {
    mpgpu_batch *c = batch(1, NULL), *r = batch(N, NULL);
    mp_limb_t *cp = limbs(COUNT);
    for (size_t i = 0; i < COUNT; i++) {
        cp[i] = i % 3;
        mpn_copyi(right + i * N, (cp[i] ? up : vp) + i * N, N);
    }
    ck_assert_int_eq(mpgpu_batch_set(c, cp), 0);
    ck_assert_int_eq(mpgpu_batch_select(r, c, u, v), 0);
    expect(r, "selection");
    mpgpu_batch_destroy(c);
    mpgpu_batch_destroy(r);
    free(cp);
}

static void compare(void) {
    mpgpu_batch *u = batch(N, up), *v = batch(N, vp), *w = batch(N, wp);
    sent = call_sent();
    compare_products(u, v);
    compare_sum(u, v, w);
    compare_selection(u, v);
    mpgpu_batch_destroy(u);
    mpgpu_batch_destroy(v);
    mpgpu_batch_destroy(w);
}

START_TEST(in_pieces) {
    open_with(backends[_i], VERIFY_DEVICE);
    compare();
}
END_TEST

START_TEST(verified_by_gmp) {
    open_with(backends[_i], VERIFY_FULL);
    compare();
}
END_TEST

int main(void) {
    setenv("MPGPU_CONF",
           "open:wait,watchdog:0,memory:18M,batch:1,mul:never,sqr:never,add:never,log:0", 1);
    return run_on_backends("batch_pieces",
                           TESTS(PER_DEVICE(in_pieces, 1), PER_DEVICE(verified_by_gmp, 1)), NULL);
}
