/* SPDX-License-Identifier: LGPL-3.0-or-later
 * Tests products of a number and one limb: alone, added to another number, and subtracted from
 * another number. Compares them with GMP's. */
#include <string.h>

#include "lib/device/number.h"
#include "lib/multiply/check.h"
#include "lib/transfer/transfer.h"
#include "tests/support/backends.h"
#include "tests/support/on_limbs.h"

/* Returns {wp, wn} + {up, un} v or, with `subtract`, {wp, wn} - {up, un} v, modulo B^rn (B =
 * 2^64). */
static mp_limb_t *right_result(size_t rn, const mp_limb_t *up, size_t un, mp_limb_t v,
                               const mp_limb_t *wp, size_t wn, int subtract) {
    mp_limb_t *right = limbs(rn);
    mp_size_t above = (mp_size_t)(rn - un);
    memset(right, 0, rn * sizeof *right);
    memcpy(right, wp, wn * sizeof *right);
    if (subtract)
        mpn_sub_1(right + un, right + un, above, mpn_submul_1(right, up, (mp_size_t)un, v));
    else
        mpn_add_1(right + un, right + un, above, mpn_addmul_1(right, up, (mp_size_t)un, v));
    return right;
}

static void compare(const mp_limb_t *up, size_t un, mp_limb_t v, const mp_limb_t *wp, size_t wn,
                    int subtract) {
    size_t rn = wn == 0 ? un + 1 : (un + 1 > wn ? un + 1 : wn) + 1;
    mp_limb_t *rp = guarded(rn), *right = right_result(rn, up, un, v, wp, wn, subtract);
    ck_assert_int_eq(by_limb(rp, rn, up, un, v, wp, wn, subtract), OUTCOME_DONE);
    for (size_t i = 0; i < rn; i++)
        ck_assert_msg(rp[i] == right[i], "%zu limbs, %zu: subtract %d: limb %zu", un, wn, subtract,
                      i);
    check_guards(rp, rn);
    free(right);
}

static void compare_all(const mp_limb_t *up, size_t un, mp_limb_t v, const mp_limb_t *wp,
                        size_t wn) {
    compare(up, un, v, wp, 0, 0);
    compare(up, un, v, wp, wn, 0);
    compare(up, un, v, wp, wn, 1);
}

static mp_limb_t any_limb(void) {
    const mp_limb_t some[] = {0, 1, 2, ~0ul, ~0ul - 1, 1ul << 63, 0xffffffff, 1ul << 32};
    unsigned long k = testing_below(12);
    mp_limb_t x;
    testing_limbs(&x, 1);
    return k < sizeof some / sizeof *some ? some[k] : x;
}

static void compare_random(size_t un, size_t wn) {
    mp_limb_t *up = limbs(un), *wp = limbs(wn);
    testing_limbs(up, un);
    testing_limbs(wp, wn);
    compare_all(up, un, any_limb(), wp, wn);
    compare_all(up, un, any_limb(), up, un);
    free(up);
    free(wp);
}

/* Tests random sizes, and sizes around 1024 limbs, the part of a number that one work-group
 * computes. */
START_TEST(random_sizes) {
    open_backend(backends[_i]);
    for (size_t n = 1; n < 12; n++)
        compare_random(n, 1 + testing_below(12));
    for (size_t n = 1018; n < 1030; n++)
        compare_random(n, testing_below(2) ? 2048 : n + testing_below(3));
    for (unsigned long k = testing_option("MPGPU_TEST_PRODUCTS", 100); k > 0; k--)
        compare_random(testing_size(100000), testing_size(100000));
}
END_TEST

static void fill(mp_limb_t *x, size_t n, int byte, mp_limb_t lowest) {
    memset(x, byte, n * sizeof *x);
    x[0] = lowest;
}

/* Tests carries and borrows that run through the whole number, and results that are 0 or -1. */
START_TEST(long_carries) {
    open_backend(backends[_i]);
    enum { N = 50000 };
    mp_limb_t *up = limbs(N), *wp = limbs(N + 1);
    fill(up, N, 0xff, ~0ul);
    for (int k = 0; k < 4; k++) {
        fill(wp, N + 1, k & 1 ? 0xff : 0, k & 2 ? 1 : ~0ul);
        compare_all(up, N, ~0ul, wp, N + 1);
        compare_all(up, N, 1, wp, N);
        compare_all(wp, N, ~0ul, up, N);
    }
    testing_limbs(up, N);
    mp_limb_t v = any_limb() | 1;
    wp[N] = mpn_mul_1(wp, up, N, v); /* w = u v */
    compare_all(up, N, v, wp, N + 1);
    mpn_sub_1(wp, wp, N + 1, 1);
    compare_all(up, N, v, wp, N + 1);
    mpn_add_1(wp, wp, N + 1, 2);
    compare_all(up, N, v, wp, N + 1);
    fill(up, N, 0, 0);
    compare_all(up, N, v, wp, N + 1);
    free(up);
    free(wp);
}
END_TEST

/* Changes a word of the result on the device: the device's check by residues must fail. Restores
 * the word: the check must pass. */
static void check_finds(struct context *s, struct number r, struct number u, mp_limb_t v,
                        struct number w, int subtract, int negative) {
    struct check check;
    uint32_t word, wrong;
    size_t offset = testing_below(r.words) * sizeof word;
    ck_assert_int_eq(transfer_down(s->transfer, &s->queue, &word, r.mem, offset, sizeof word), 0);
    wrong = word ^ (1u << testing_below(32));
    for (int k = 0; k < 2; k++) {
        const uint32_t *now = k ? &word : &wrong;
        ck_assert_int_eq(transfer_up(s->transfer, &s->queue, r.mem, offset, now, sizeof word), 0);
        ck_assert_int_eq(check_start_limb(&check, s, r, u, w), GPU_OK);
        ck_assert_int_eq(gpu_finish(&s->queue), GPU_OK);
        ck_assert_int_eq(check_limb(&check, r.words, v, subtract, negative),
                         k ? GPU_OK : GPU_FAILED);
    }
}

static enum gpu_status spoil_and_find(struct context *s, void *unused) {
    const size_t n = 3001; /* limbs */
    struct number u, w, r;
    mp_limb_t *up = limbs(n), v = 0xfedcba9876543211;
    (void)unused;
    ck_assert_int_eq(number_in_slot(s, SLOT_U, 2 * n, &u), GPU_OK);
    ck_assert_int_eq(number_in_slot(s, SLOT_V, 2 * n, &w), GPU_OK);
    ck_assert_int_eq(number_in_slot(s, SLOT_R, 2 * n + 4, &r), GPU_OK);
    testing_limbs(up, n);
    up[n - 1] |= 1;
    ck_assert_int_eq(transfer_up(s->transfer, &s->queue, u.mem, 0, up, n * sizeof *up), 0);
    testing_limbs(up, n);
    ck_assert_int_eq(transfer_up(s->transfer, &s->queue, w.mem, 0, up, n * sizeof *up), 0);
    for (int k = 0; k < 30; k++) {
        struct number addend = k % 3 ? w : number_part(w, 0, 0);
        ck_assert_int_eq(number_mul_1(s, r, u, v, addend, k % 3 == 2), GPU_OK);
        /* The difference w - u v is negative, because u v is longer than w. */
        check_finds(s, r, u, v, addend, k % 3 == 2, k % 3 == 2);
    }
    free(up);
    return GPU_OK;
}

START_TEST(wrong_words_are_found) {
    run_on_backend(backends[_i], spoil_and_find);
}
END_TEST

int main(void) {
    return run_on_backends("mul_1",
                           TESTS(PER_DEVICE(random_sizes, 1), PER_DEVICE(long_carries, 1),
                                 PER_DEVICE(wrong_words_are_found, 1)),
                           NULL);
}
