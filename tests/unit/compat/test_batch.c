/* SPDX-License-Identifier: LGPL-3.0-or-later
 * Calls of batches (include/mpgpu.h) compared with GMP, number by number: short numbers, operands
 * that break carries, results in place; with and without a device.  tests/unit/job/test_jobs.c has
 * the other lengths. */
#include <string.h>

#include "compat/intercept/call.h"
#include "include/mpgpu.h"
#include "lib/base/conf.h"
#include "lib/gmp/gmp_internal.h"
#include "lib/gmp/real.h"
#include "lib/session/session.h"
#include "tests/support/backends.h"

/* ---- operands: count numbers of n limbs; batch i of them */

struct operands {
    size_t count, n;
    mp_limb_t *up, *vp, *rp, *right; /* the results have room for 2 n + 1 limbs each */
    mpgpu_batch *u, *v;
};

static mpgpu_batch *created(size_t count, size_t n) {
    mpgpu_batch *b = mpgpu_batch_create(count, n);
    ck_assert_ptr_nonnull(b);
    return b;
}

static struct operands operands(size_t count, size_t n) {
    struct operands o = {.count = count, .n = n};
    o.up = limbs(count * n);
    o.vp = limbs(count * n);
    o.rp = limbs(count * (2 * n + 1));
    o.right = limbs(count * (2 * n + 1));
    for (size_t i = 0; i < count; i++) {
        testing_limbs(o.up + i * n, n);
        testing_limbs(o.vp + i * n, n);
        if (testing_below(4) == 0) /* u + v = B^n - 1, or B^n */
            mpn_com(o.vp + i * n, o.up + i * n, (mp_size_t)n);
        if (testing_below(8) == 0)
            mpn_add_1(o.vp + i * n, o.vp + i * n, (mp_size_t)n, 1);
    }
    o.u = created(count, n);
    o.v = created(count, n);
    ck_assert_int_eq(mpgpu_batch_set(o.u, o.up), 0);
    ck_assert_int_eq(mpgpu_batch_set(o.v, o.vp), 0);
    return o;
}

static void done(struct operands *o) {
    mpgpu_batch_destroy(o->u);
    mpgpu_batch_destroy(o->v);
    free(o->up);
    free(o->vp);
    free(o->rp);
    free(o->right);
}

static int want_device; /* results lie there */

/* Batch r, of rn limbs, holds what is in o->right. */
static void expect(struct operands *o, mpgpu_batch *r, const char *what) {
    size_t rn = mpgpu_batch_limbs(r);
    ck_assert_int_eq(mpgpu_batch_on_device(r), want_device);
    ck_assert_int_eq(mpgpu_batch_get(o->rp, r), 0);
    for (size_t i = 0; i < o->count * rn; i++)
        ck_assert_msg(o->rp[i] == o->right[i],
                      "%s of %zu numbers of %zu limbs: number %zu limb %zu", what, o->count, o->n,
                      i / rn, i % rn);
}

/* ---- sums */

/* sign * (top limbs) into right of numbers' tops; {right, n} = the sum. */
static void right_sum(struct operands *o, mp_limb_t *tops, const mp_limb_t *const *xp,
                      unsigned terms, unsigned minus) {
    mp_size_t n = (mp_size_t)o->n;
    for (size_t i = 0; i < o->count; i++) {
        mp_limb_t *rp = o->right + i * o->n;
        tops[i] = 0;
        mpn_zero(rp, n);
        for (unsigned k = 0; k < terms; k++)
            if (minus >> k & 1)
                tops[i] -= mpn_sub_n(rp, rp, xp[k] + i * o->n, n);
            else
                tops[i] += mpn_add_n(rp, rp, xp[k] + i * o->n, n);
    }
}

static void expect_tops(struct operands *o, mpgpu_batch *cy, const mp_limb_t *tops, int sign) {
    mp_limb_t *cp = limbs(o->count);
    ck_assert_int_eq(mpgpu_batch_get(cp, cy), 0);
    for (size_t i = 0; i < o->count; i++)
        ck_assert_msg(cp[i] == (sign < 0 ? -tops[i] : tops[i]),
                      "carry %zu of %zu numbers of %zu limbs", i, o->count, o->n);
    free(cp);
}

static void compare_add_sub(struct operands *o) {
    const mp_limb_t *uv[] = {o->up, o->vp};
    mp_limb_t *tops = limbs(o->count);
    mpgpu_batch *r = created(o->count, o->n), *cy = created(o->count, 1);
    right_sum(o, tops, uv, 2, 0);
    ck_assert_int_eq(mpgpu_batch_add(r, cy, o->u, o->v), 0);
    expect(o, r, "sum");
    expect_tops(o, cy, tops, 1);
    right_sum(o, tops, uv, 2, 2);
    ck_assert_int_eq(mpgpu_batch_sub(r, cy, o->u, o->v), 0);
    expect(o, r, "difference");
    expect_tops(o, cy, tops, -1);
    ck_assert_int_eq(mpgpu_batch_sub(r, NULL, o->u, o->u), 0);
    memset(o->right, 0, o->count * o->n * sizeof *o->right);
    expect(o, r, "difference with itself");
    mpgpu_batch_destroy(r);
    mpgpu_batch_destroy(cy);
    free(tops);
}

/* Any terms, signs, with the result in place of one or not. */
static void compare_sums(struct operands *o) {
    mp_limb_t *tops = limbs(o->count), *wp = limbs(o->count * o->n);
    mpgpu_batch *w = created(o->count, o->n), *cy = created(o->count, 1);
    const struct {
        mpgpu_batch *b;
        const mp_limb_t *xp;
    } all[] = {{o->u, o->up}, {o->v, o->vp}, {w, wp}};
    for (int turn = 0; turn < 4; turn++) {
        mpgpu_batch *term[MPGPU_TERMS];
        const mp_limb_t *xp[MPGPU_TERMS];
        unsigned terms = 1 + (unsigned)testing_below(MPGPU_TERMS);
        unsigned minus = (unsigned)testing_below(1 << MPGPU_TERMS);
        for (size_t i = 0; i < o->count; i++)
            testing_limbs(wp + i * o->n, o->n);
        ck_assert_int_eq(mpgpu_batch_set(w, wp), 0);
        for (unsigned k = 0; k < terms; k++) {
            unsigned long which = testing_below(3);
            term[k] = all[which].b;
            xp[k] = all[which].xp;
        }
        right_sum(o, tops, xp, terms, minus);
        ck_assert_int_eq(mpgpu_batch_sum(w, cy, term, terms, minus), 0);
        expect(o, w, "sum of terms");
        expect_tops(o, cy, tops, 1);
    }
    mpgpu_batch_destroy(w);
    mpgpu_batch_destroy(cy);
    free(tops);
    free(wp);
}

/* ---- products */

static void right_products(struct operands *o, const mp_limb_t *up, const mp_limb_t *vp, int low) {
    mp_limb_t *pp = limbs(2 * o->n);
    size_t rn = low ? o->n : 2 * o->n;
    for (size_t i = 0; i < o->count; i++) {
        mpn_mul_n(pp, up + i * o->n, vp + i * o->n, (mp_size_t)o->n);
        memcpy(o->right + i * rn, pp, rn * sizeof *pp);
    }
    free(pp);
}

static void compare_products(struct operands *o) {
    mpgpu_batch *r = created(o->count, 2 * o->n), *low = created(o->count, o->n);
    right_products(o, o->up, o->vp, 0);
    ck_assert_int_eq(mpgpu_batch_mul(r, o->u, o->v), 0);
    expect(o, r, "product");
    right_products(o, o->up, o->up, 0);
    ck_assert_int_eq(mpgpu_batch_sqr(r, o->u), 0);
    expect(o, r, "square");
    right_products(o, o->up, o->vp, 1);
    ck_assert_int_eq(mpgpu_batch_mullo(low, o->u, o->v), 0);
    expect(o, low, "low product");
    ck_assert_int_eq(mpgpu_batch_mullo(o->u, o->u, o->v), 0); /* in place */
    expect(o, o->u, "low product in place");
    ck_assert_int_eq(mpgpu_batch_set(o->u, o->up), 0);
    mpgpu_batch_destroy(r);
    mpgpu_batch_destroy(low);
}

/* From host memory, with guards. */
static void compare_limbs(struct operands *o) {
    size_t rn = 2 * o->n * o->count;
    for (int kind = 0; kind < 3; kind++) {
        size_t here = kind == 2 ? rn / 2 : rn;
        mp_limb_t *rp = guarded(here);
        right_products(o, o->up, kind == 1 ? o->up : o->vp, kind == 2);
        ck_assert_int_eq(kind == 0   ? mpgpu_batch_mul_n(rp, o->up, o->vp, o->n, o->count)
                         : kind == 1 ? mpgpu_batch_sqr_n(rp, o->up, o->n, o->count)
                                     : mpgpu_batch_mullo_n(rp, o->up, o->vp, o->n, o->count),
                         0);
        for (size_t i = 0; i < here; i++)
            ck_assert_msg(rp[i] == o->right[i], "kind %d: %zu numbers of %zu limbs: limb %zu", kind,
                          o->count, o->n, i);
        check_guards(rp, here);
    }
}

static void compare(size_t count, size_t n) {
    struct operands o = operands(count, n);
    compare_add_sub(&o);
    compare_sums(&o);
    compare_products(&o);
    compare_limbs(&o);
    done(&o);
}

/* ---- tests */

/* Fewer where every launch takes long, as under compute-sanitizer. */
static size_t many(size_t count) {
    return testing_option("MPGPU_TEST_PRODUCTS", 100) < 100 ? count / 50 : count;
}

static void compare_short(void) {
    for (size_t n = 1; n <= 21; n++)
        compare(1 + testing_below(300), n);
    compare(1, 1);
    compare(many(100000), 1);
    compare(many(3001), 32);
}

START_TEST(short_numbers) {
    want_device = 1;
    use_backend(backends[_i], VERIFY_OFF);
    compare_short();
}
END_TEST

/* Longer ones than the device takes are done all the same. */
START_TEST(too_long) {
    use_backend(backends[_i], VERIFY_DEVICE);
    want_device = 0;
    struct operands o = operands(2, 4097);
    compare_products(&o);
    done(&o);
}
END_TEST

START_TEST(by_gmp) {
    use_backend((struct test_backend){"none", 0}, VERIFY_DEVICE);
    mpgpu_conf.stats = _i ? STATS_TEXT : STATS_OFF;
    want_device = 0;
    compare_short();
    compare(3, 4097);
}
END_TEST

/* In a child of fork a batch on the device is lost, can be set, and then GMP computes. */
START_TEST(in_a_child) {
    int status;
    want_device = 1;
    use_backend(backends[_i], VERIFY_DEVICE);
    struct operands o = operands(3, 5);
    mpgpu_batch *r = created(3, 5);
    memcpy(o.right, o.up, 15 * sizeof *o.up);
    pid_t child = fork();
    if (child == 0) {
        want_device = 0;
        if (mpgpu_batch_add(r, NULL, o.u, o.v) != MPGPU_LOST ||
            mpgpu_batch_get(o.rp, o.u) != MPGPU_LOST || mpgpu_batch_set(o.u, o.up) != 0 ||
            mpgpu_batch_set(o.v, o.vp) != 0)
            _exit(1);
        compare_add_sub(&o);
        mpgpu_batch_destroy(o.u);
        _exit(0);
    }
    ck_assert_int_eq(waitpid(child, &status, 0), child);
    ck_assert_int_eq(status, 0);
    expect(&o, o.u, "operand");
    mpgpu_batch_destroy(r);
    done(&o);
}
END_TEST

/* What does not fit together says so, and leaves all as it was. */
START_TEST(bad_arguments) {
    use_backend((struct test_backend){"none", 0}, VERIFY_DEVICE);
    struct operands o = operands(3, 5);
    mpgpu_batch *r = created(3, 10), *other = created(4, 5), *cy = created(3, 1), *none[1] = {o.u};
    ck_assert_str_eq(mpgpu_error(), "");
    ck_assert_ptr_null(mpgpu_batch_create(0, 5));
    ck_assert_ptr_null(mpgpu_batch_create(5, 0));
    ck_assert_ptr_null(mpgpu_batch_create(SIZE_MAX / 2, 5));
    ck_assert_str_ne(mpgpu_error(), "");
    ck_assert_int_eq(mpgpu_batch_mul(o.u, o.u, o.v), MPGPU_ARGUMENTS);
    ck_assert_int_eq(mpgpu_batch_mul(r, o.u, other), MPGPU_ARGUMENTS);
    ck_assert_int_eq(mpgpu_batch_mullo(r, o.u, o.v), MPGPU_ARGUMENTS);
    ck_assert_int_eq(mpgpu_batch_add(o.u, other, o.u, o.v), MPGPU_ARGUMENTS);
    ck_assert_int_eq(mpgpu_batch_add(cy, cy, cy, cy), MPGPU_ARGUMENTS);
    ck_assert_int_eq(mpgpu_batch_mul(NULL, o.u, o.v), MPGPU_ARGUMENTS);
    ck_assert_int_eq(mpgpu_batch_sqr(r, NULL), MPGPU_ARGUMENTS);
    ck_assert_int_eq(mpgpu_batch_mullo(r, o.u, NULL), MPGPU_ARGUMENTS);
    ck_assert_int_eq(mpgpu_batch_sum(o.u, NULL, none, 0, 0), MPGPU_ARGUMENTS);
    ck_assert_int_eq(mpgpu_batch_sum(o.u, NULL, none, MPGPU_TERMS + 1, 0), MPGPU_ARGUMENTS);
    ck_assert_int_eq(mpgpu_batch_mul_n(o.rp, o.up, o.vp, 5, 0), 0);
    ck_assert_uint_eq(mpgpu_batch_count(other), 4);
    memcpy(o.right, o.up, 15 * sizeof *o.up);
    expect(&o, o.u, "operand");
    memset(o.right, 0, 30 * sizeof *o.right); /* never set */
    expect(&o, r, "nothing");
    mpgpu_batch_destroy(NULL);
    mpgpu_batch_destroy(r);
    mpgpu_batch_destroy(other);
    mpgpu_batch_destroy(cy);
    done(&o);
}
END_TEST

int main(void) {
    choose_batches_alone();
    return run_on_backends("batch",
                           TESTS(PER_DEVICE(short_numbers, 1), PER_DEVICE(too_long, 1),
                                 PER_DEVICE(in_a_child, 1), LOOP(by_gmp, 2), ONCE(bad_arguments)),
                           NULL);
}
