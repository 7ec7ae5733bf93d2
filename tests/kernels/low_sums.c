/* SPDX-License-Identifier: LGPL-3.0-or-later
 * Tests the device's check of sums of low products (products modulo B^n), by the kernels compiled
 * as host C. The check must accept GMP's result, and must reject that result with one word
 * changed. */
#include <string.h>

#include "lib/device/verdict.h"
#include "lib/multiply/batch.h"
#include "tests/kernels/trials.h"

enum { OPERANDS = 4, TERMS = 3 };

/* Operands u[i] and result r: the low limbs of u[0] u[1] - u[2] u[3] + u[0] - u[1] + u[0]. */
struct trial {
    uint64_t count;
    uint32_t words;
    mp_limb_t *u[OPERANDS], *r;
};

static void compute(struct trial *t) {
    const mp_size_t n = t->words / 2;
    mp_limb_t *pp = limbs((size_t)(2 * n));
    for (size_t i = 0; i < t->count; i++) {
        const size_t at = i * (size_t)n;
        mp_limb_t *rp = t->r + at;
        mpn_mul_n(pp, t->u[0] + at, t->u[1] + at, n);
        mpn_copyi(rp, pp, n);
        mpn_mul_n(pp, t->u[2] + at, t->u[3] + at, n);
        mpn_sub_n(rp, rp, pp, n);
        mpn_add_n(rp, rp, t->u[0] + at, n);
        mpn_sub_n(rp, rp, t->u[1] + at, n);
        mpn_add_n(rp, rp, t->u[0] + at, n);
    }
    free(pp);
}

static enum gpu_status verdict(struct context *s, const struct batch_low_sum *sum) {
    struct batch_operation any = {.kind = BATCH_LOW};
    ck_assert_int_eq(batch_check_prepare(s, &any), GPU_OK);
    ck_assert_int_eq(verdict_begin(s), GPU_OK);
    ck_assert_int_eq(batch_check_low_sum(s, sum), GPU_OK);
    return verdict_end(s);
}

static enum gpu_status check(struct context *s, void *trial) {
    struct trial *t = trial;
    const uint64_t words = t->count * t->words;
    gpu_mem u[OPERANDS];
    for (unsigned k = 0; k < OPERANDS; k++)
        u[k] = words_up(s, (const uint32_t *)t->u[k], words);
    struct batch_low_sum sum = {.count = t->count,
                                .words = t->words,
                                .products = 2,
                                .negatives = 2,
                                .terms = TERMS,
                                .negated = 2,
                                .u = {u[0], u[2]},
                                .v = {u[1], u[3]},
                                .term = {u[0], u[1], u[0]}};
    for (int is_wrong = 0; is_wrong < 2; is_wrong++) {
        if (is_wrong)
            t->r[testing_below(words / 2)] ^= (mp_limb_t)1 << testing_below(64);
        sum.r = words_up(s, (const uint32_t *)t->r, words);
        ck_assert_int_eq(verdict(s, &sum), is_wrong ? GPU_FAILED : GPU_OK);
        words_down(s, NULL, sum.r, words);
    }
    for (unsigned k = 0; k < OPERANDS; k++)
        words_down(s, NULL, u[k], words);
    return GPU_OK;
}

static void check_sums(uint64_t count, uint32_t words) {
    struct trial t = {.count = count, .words = words, .r = limbs(count * words / 2)};
    for (unsigned k = 0; k < OPERANDS; k++) {
        t.u[k] = limbs(count * words / 2);
        testing_limbs(t.u[k], count * words / 2);
    }
    compute(&t);
    with_device(check, &t);
    for (unsigned k = 0; k < OPERANDS; k++)
        free(t.u[k]);
    free(t.r);
}

START_TEST(sums_of_low_products) {
    static const uint32_t sizes[][2] = {{300, 2}, {9, 10}, {65, 16}, {33, 18}, {5, 126}, {2, 512}};
    open_form(_i, ALGORITHM_AUTO);
    mpgpu_log_level = 0;
    for (unsigned i = 0; i < sizeof sizes / sizeof *sizes; i++)
        check_sums(sizes[i][0], sizes[i][1]);
}
END_TEST

void add_low_sums(TCase *tests) {
    tcase_add_loop_test(tests, sums_of_low_products, 0, KERNEL_FORMS);
}
