/* SPDX-License-Identifier: LGPL-3.0-or-later
 * Tests products and sums on every backend that has a device, compared with GMP's.
 * MPGPU_TEST_PRODUCTS: number of random products for each backend, of operands of up to
 * MPGPU_TEST_LIMBS limbs.
 * MPGPU_TEST_LARGE=1 also tests operands of 2^31 bits (CK_RUN_CASE=large: only those). */
#include <string.h>

#include "lib/base/conf.h"
#include "lib/base/log.h"
#include "lib/multiply/check.h"
#include "lib/multiply/ntt.h"
#include "lib/job/limbs.h"
#include "lib/selftest/selftest.h"
#include "lib/session/session.h"
#include "lib/transfer/transfer.h"
#include "tests/support/backends.h"

typedef enum outcome product(mp_limb_t *rp, const mp_limb_t *up, size_t un, const mp_limb_t *vp,
                             size_t vn);

/* Compares the product of {up, un} and {vp, vn} that f computes with mpn_mul's. The product is a
 * square if up == vp. */
static void compare_product(product *f, const mp_limb_t *up, size_t un, const mp_limb_t *vp,
                            size_t vn) {
    mp_limb_t *rp = guarded(un + vn), *right = limbs(un + vn);
    ck_assert_msg(f(rp, up, un, vp, vn) == OUTCOME_DONE, "not done: %zu by %zu limbs", un, vn);
    mpn_mul(right, up, un, vp, vn);
    for (size_t i = 0; i < un + vn; i++)
        ck_assert_msg(rp[i] == right[i], "%zu by %zu limbs: limb %zu", un, vn, i);
    check_guards(rp, un + vn);
    free(right);
}

static void compare_random_product(product *f, size_t an, size_t bn) {
    size_t un = an < bn ? bn : an, vn = an < bn ? an : bn;
    mp_limb_t *up = limbs(un), *vp = limbs(vn);
    testing_limbs(up, un);
    testing_limbs(vp, vn);
    compare_product(f, up, un, testing_below(5) == 0 && un == vn ? up : vp, vn);
    free(up);
    free(vp);
}

START_TEST(random_products) {
    open_backend(backends[_i]);
    size_t most = testing_option("MPGPU_TEST_LIMBS", 20000);
    for (unsigned long k = testing_option("MPGPU_TEST_PRODUCTS", 400); k > 0; k--) {
        size_t a = testing_size(most), b = testing_below(4) ? testing_size(most) : a;
        compare_random_product(limbs_mul, a, b);
    }
}
END_TEST

START_TEST(squares) {
    open_backend(backends[_i]);
    for (size_t n = 1; n < 100000; n = n * 3 + 1) {
        mp_limb_t *up = limbs(n);
        testing_limbs(up, n);
        compare_product(limbs_mul, up, n, up, n);
        free(up);
    }
}
END_TEST

/* Tests sizes that fill a transform length exactly, or are one limb longer or shorter. Unless
 * MPGPU_TEST_ALGORITHM is set, also tests lengths that need one more pass of the transform. */
START_TEST(lengths_to_the_brim) {
    const unsigned longest = getenv("MPGPU_TEST_ALGORITHM") ? 16 : 18;
    open_backend(backends[_i]);
    for (unsigned log = 13; log <= longest; log++)
        for (size_t n = (size_t)1 << log, t = 2; t <= 3; t++, n = n / 2 * 3)
            for (int d = -1; d <= 1; d++)
                compare_random_product(limbs_mul, n / 2 + d, n / 2);
}
END_TEST

START_TEST(unbalanced) {
    open_backend(backends[_i]);
    for (size_t vn = 1; vn <= 300; vn = vn * 4 + 1) {
        compare_random_product(limbs_mul, 1000 * vn, vn);
        compare_random_product(limbs_mul, 10 * vn, vn);
    }
}
END_TEST

struct operands {
    mp_limb_t *rp;
    const mp_limb_t *up, *vp;
    size_t un, vn;
    struct ntt_plan plan;
};

static enum gpu_status by_plan(struct context *s, void *operands) {
    const struct operands *o = operands;
    struct number u, v, r;
    ck_assert_int_eq(selftest_ntt(s, &o->plan), GPU_OK);
    enum gpu_status status = number_in_slot(s, SLOT_U, 2 * o->un, &u);
    status = status ? status : number_in_slot(s, SLOT_V, 2 * o->vn, &v);
    status = status ? status : number_in_slot(s, SLOT_R, 2 * (o->un + o->vn), &r);
    status = status ? status : transfer_up(s->transfer, &s->queue, u.mem, 0, o->up, 8 * o->un);
    status = status ? status : transfer_up(s->transfer, &s->queue, v.mem, 0, o->vp, 8 * o->vn);
    int square = o->up == o->vp && o->un == o->vn;
    status = status ? status : ntt_mul(s, &o->plan, r, u, square ? u : v);
    return status ? status
                  : transfer_down(s->transfer, &s->queue, o->rp, r.mem, 0, 8 * (o->un + o->vn));
}

/* Multiplies by transforms of the shortest length, so that operands are cut into pieces. The plan
 * may keep up to six transforms in device memory. */
static enum outcome short_product(mp_limb_t *rp, const mp_limb_t *up, size_t un,
                                  const mp_limb_t *vp, size_t vn) {
    struct operands o = {rp, up, vp, un, vn, {.parts = 0}};
    uint64_t shortest = (uint64_t)NTT_DIGIT_RESIDUES << NTT_MIN_LOG;
    struct ntt_device room = {20 * shortest, shortest * (1 + testing_below(6)), 1u << NTT_MIN_LOG,
                              1};
    ck_assert(ntt_plan_init(&o.plan, un, vn, &room));
    return session_run(by_plan, &o, sizeof o, 0);
}

static struct ntt_length length; /* length of the transforms in product_by_length */

static enum outcome product_by_length(mp_limb_t *rp, const mp_limb_t *up, size_t un,
                                      const mp_limb_t *vp, size_t vn) {
    struct operands o = {rp, up, vp, un, vn, {.length = length, .parts = 1, .pieces = 1}};
    return session_run(by_plan, &o, sizeof o, 0);
}

/* Tests products by two transforms, modulo x^n + 1 and modulo x^m - 1. The product fills both, is
 * longer than one of them and wraps round, or is short. */
START_TEST(by_two_rings) {
    open_backend(backends[_i]);
    for (unsigned log_n = NTT_MIN_LOG + 1; log_n <= NTT_MIN_LOG + 3; log_n++)
        for (unsigned below = 1; below <= log_n - NTT_MIN_LOG; below++) {
            ck_assert(ntt_length_init(&length, log_n, below));
            size_t n = ntt_length_digits(&length), k = 1 + testing_below(n / 2);
            compare_random_product(product_by_length, n / 2, n / 2);
            compare_random_product(product_by_length, n - k, k);
            if (log_n > NTT_MIN_LOG + 1)
                continue;
            compare_random_product(product_by_length, n - 1, 1);
            compare_random_product(product_by_length, testing_size(n / 2), testing_size(n / 2));
        }
}
END_TEST

/* Tests products that are too long for one transform. The longer operand is cut into pieces, and
 * the shorter one into parts. */
START_TEST(in_pieces_and_parts) {
    open_backend(backends[_i]);
    const size_t n = 1u << NTT_MIN_LOG;
    for (int k = 0; k < 6; k++) {
        size_t un = n / 2 + testing_below(8 * n), vn = 1 + testing_below(k % 3 ? un : n / 2);
        compare_random_product(short_product, un, vn);
    }
    compare_random_product(short_product, 5 * n, 5 * n);
    compare_random_product(short_product, 4 * n, n / 2);
}
END_TEST

/* The device has too little memory for both operands and the result, so the host must cut the
 * product. */
START_TEST(with_little_memory) {
    open_backend(backends[_i]);
    compare_random_product(limbs_mul, 100, 100); /* opens the device, before memory is limited */
    mpgpu_log_level = 0;
    mpgpu_conf.memory = 3 << 20;
    for (int k = 0; k < 3; k++) {
        size_t un = 60000 + testing_below(30000), vn = k ? 1 + testing_below(un) : un;
        compare_random_product(limbs_mul, un, vn);
    }
    const size_t n = 70000;
    mp_limb_t *up = limbs(n);
    testing_limbs(up, n);
    compare_product(limbs_mul, up, n, up, n);
    memset(up, 0xff, n * sizeof *up);
    compare_product(limbs_mul, up, n, up, n - 1);
    free(up);
}
END_TEST

/* Compares u + v and u - v with GMP's. */
static void compare_sum(mp_limb_t *up, size_t un, mp_limb_t *vp, size_t vn) {
    mp_limb_t *right = limbs(un), cy = 9;
    for (int subtract = 0; subtract < 2; subtract++) {
        mp_limb_t *rp = guarded(un);
        enum outcome outcome = (subtract ? limbs_sub : limbs_add)(rp, up, un, vp, vn, &cy);
        ck_assert_int_eq(outcome, OUTCOME_DONE);
        mp_limb_t right_cy =
            subtract ? mpn_sub(right, up, un, vp, vn) : mpn_add(right, up, un, vp, vn);
        ck_assert_uint_eq(cy, right_cy);
        ck_assert(memcmp(rp, right, un * sizeof *rp) == 0);
        check_guards(rp, un);
    }
    free(right);
}

START_TEST(sums) {
    open_backend(backends[_i]);
    for (int k = 0; k < 300; k++) {
        size_t un = k < 40 ? 1020u + k : testing_size(300000), vn = 1 + testing_below(un);
        mp_limb_t *up = limbs(un), *vp = limbs(vn);
        testing_limbs(up, un);
        testing_limbs(vp, vn);
        if (k % 5 == 0) { /* a carry runs through the whole number */
            memset(up, 0xff, un * sizeof *up);
            memset(vp, 0, vn * sizeof *vp);
            vp[0] = 1;
        } else if (k % 5 == 1) { /* a borrow runs through the whole number */
            memset(up, 0, un * sizeof *up);
            memset(vp, 0, vn * sizeof *vp);
            vp[0] = 1;
        }
        compare_sum(up, un, vp, vn);
        free(up);
        free(vp);
    }
}
END_TEST

/* Changes word `at` of the result on the device: the check must fail. Restores the word: the check
 * must pass. */
static void check_finds(struct context *s, struct number r, struct number u, struct number v,
                        uint64_t at, int product) {
    struct check check;
    uint32_t word, wrong;
    size_t offset = at * sizeof word;
    ck_assert_int_eq(transfer_down(s->transfer, &s->queue, &word, r.mem, offset, sizeof word), 0);
    wrong = word ^ (1u << testing_below(32));
    ck_assert_int_eq(transfer_up(s->transfer, &s->queue, r.mem, offset, &wrong, sizeof word), 0);
    ck_assert_int_eq(check_start(&check, s, r, u, v), GPU_OK);
    ck_assert_int_eq(gpu_finish(&s->queue), GPU_OK);
    ck_assert_int_eq(product ? check_product(&check) : check_sum(&check, r.words, 0, 0),
                     GPU_FAILED);
    ck_assert_int_eq(transfer_up(s->transfer, &s->queue, r.mem, offset, &word, sizeof word), 0);
    ck_assert_int_eq(check_start(&check, s, r, u, v), GPU_OK);
    ck_assert_int_eq(gpu_finish(&s->queue), GPU_OK);
    ck_assert_int_eq(product ? check_product(&check) : check_sum(&check, r.words, 0, 0), GPU_OK);
}

/* Tests the device's check for verify:device. It must reject a product or sum with any word
 * changed, and accept the right one. */
static enum gpu_status spoil_and_find(struct context *s, void *unused) {
    const size_t n = 6001; /* limbs */
    struct ntt_plan plan;
    struct number u, v, r;
    (void)unused;
    mp_limb_t *up = limbs(n);
    ck_assert_int_eq(ntt_plan(s, &plan, 2 * n, 2 * n), GPU_OK);
    ck_assert_int_eq(number_in_slot(s, SLOT_U, 2 * n, &u), GPU_OK);
    ck_assert_int_eq(number_in_slot(s, SLOT_V, 2 * n, &v), GPU_OK);
    ck_assert_int_eq(number_in_slot(s, SLOT_R, 4 * n, &r), GPU_OK);
    testing_limbs(up, n);
    ck_assert_int_eq(transfer_up(s->transfer, &s->queue, u.mem, 0, up, n * sizeof *up), 0);
    testing_limbs(up, n);
    up[n - 1] >>= 1; /* so that the sum below has no carry */
    ck_assert_int_eq(transfer_up(s->transfer, &s->queue, v.mem, 0, up, n * sizeof *up), 0);
    ck_assert_int_eq(ntt_mul(s, &plan, r, u, v), GPU_OK);
    for (int k = 0; k < 30; k++)
        check_finds(s, r, u, v, k < 2 ? k * (r.words - 1) : testing_below(r.words), 1);
    ck_assert_int_eq(ntt_mul(s, &plan, r, u, u), GPU_OK);
    check_finds(s, r, u, u, testing_below(r.words), 1);
    struct number half = number_part(v, 0, v.words / 2), sum = number_part(r, 0, u.words);
    uint32_t carry;
    /* computes sum = u - half; the check below then tests the addition u = sum + half */
    ck_assert_int_eq(number_add(s, sum, u, half, 1, &carry), GPU_OK);
    for (int k = 0; !carry && k < 5; k++)
        check_finds(s, u, sum, half, testing_below(u.words), 0);
    free(up);
    return GPU_OK;
}

START_TEST(wrong_words_are_found) {
    run_on_backend(backends[_i], spoil_and_find);
}
END_TEST

START_TEST(large_products) {
    open_backend(backends[_i]);
    const size_t n = ((size_t)1 << 31) / GMP_NUMB_BITS;
    compare_random_product(limbs_mul, n, n);
    compare_random_product(limbs_mul, n - 1, n / 1000);
    mp_limb_t *up = limbs(n);
    testing_limbs(up, n);
    compare_product(limbs_mul, up, n, up, n);
    free(up);
}
END_TEST

int main(void) {
    return run_on_backends("mul",
                           TESTS(PER_DEVICE(random_products, 1), PER_DEVICE(squares, 1),
                                 PER_DEVICE(lengths_to_the_brim, 1), PER_DEVICE(unbalanced, 1),
                                 PER_DEVICE(by_two_rings, 1), PER_DEVICE(in_pieces_and_parts, 1),
                                 PER_DEVICE(with_little_memory, 1), PER_DEVICE(sums, 1),
                                 PER_DEVICE(wrong_words_are_found, 1)),
                           TESTS(PER_DEVICE(large_products, 1)));
}
