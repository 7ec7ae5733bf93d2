/* SPDX-License-Identifier: LGPL-3.0-or-later
 * Tests products that one launch computes, compared with GMP's. The kernels are compiled as
 * host C in both forms: for OpenCL, and for GPUs whose work-groups can wait for one another. */
#include <string.h>

#include "kernels/small/small.h"
#include "lib/multiply/small.h"
#include "lib/job/limbs.h"
#include "tests/kernels/trials.h"

/* ---- products of numbers in device memory, with lengths in words of 32 bits */

struct product {
    uint32_t *r;
    const uint32_t *u, *v;
    size_t un, vn;
};

static enum gpu_status multiply(struct context *s, void *product) {
    const struct product *p = product;
    struct small_plan plan;
    ck_assert(small_plan_init(&plan, &s->dev.caps, 1, p->un, p->vn));
    ck_assert_int_eq(small_prepare(s, &plan), GPU_OK);
    struct number u = number_above(s, SLOT_U, p->u, p->un),
                  v = number_above(s, SLOT_V, p->v, p->vn);
    struct number r = number_above(s, SLOT_R, NULL, p->un + p->vn);
    ck_assert_int_eq(small_mul(s, &plan, r, u, v), GPU_OK);
    number_down(s, p->r, r);
    return GPU_OK;
}

static void compare_words(size_t un, size_t vn) {
    uint32_t *u = malloc(un * sizeof *u), *v = malloc(vn * sizeof *v);
    struct product p = {malloc((un + vn) * sizeof *p.r), u, v, un, vn};
    testing_words(u, un);
    testing_words(v, vn);
    with_device(multiply, &p);
    check_words(p.r, u, un, v, vn);
    free(u), free(v), free(p.r);
}

static void compare_limbs(size_t un, size_t vn, int is_square) {
    mp_limb_t *up = limbs(un), *vp = limbs(vn), *rp = guarded(un + vn), *right = limbs(un + vn);
    testing_limbs(up, un);
    testing_limbs(vp, vn);
    const mp_limb_t *second = is_square ? up : vp;
    mpn_mul(right, up, un, second, vn);
    ck_assert_int_eq(limbs_mul(rp, up, un, second, vn), OUTCOME_DONE);
    ck_assert_msg(memcmp(rp, right, (un + vn) * sizeof *rp) == 0, "%zu by %zu limbs", un, vn);
    check_guards(rp, un + vn);
    free(up), free(vp), free(right);
}

START_TEST(columns) {
    open_form(_i, ALGORITHM_BLOCK);
    compare_limbs(1, 1, 0);
    compare_limbs(64, 64, 1);
    compare_limbs(63, 7, 0);
    compare_words(128, 128);
    compare_words(127, 1);
    compare_words(93, 50);
}
END_TEST

/* Tests transforms in one work-group, with pairs of operands.  Their product fills the
 * transform, is two limbs shorter, or is slightly longer than half of the transform.  Other
 * pairs have different lengths. */
START_TEST(small_transforms) {
    open_form(_i, ALGORITHM_BLOCK);
    for (unsigned log = SMALL_MIN_LOG; log <= SMALL_MAX_LOG; log++) {
        size_t n = SMALL_DIGITS(log);
        compare_limbs(n / 2, n / 2, 0);
        compare_limbs(n / 2 - 1, n / 2 - 1, 1);
        compare_limbs(n / 4 + 1, n / 4 + 1, 0);
        compare_words(2 * n - 130, 129);
        compare_words(n - 3, n - 1);
    }
}
END_TEST

/* ---- several products in one launch */

/* Multiplies SMALL_ITEMS pairs of numbers in one launch. Numbers have at most n words; n is a
 * multiple of 4. The products are in another order in memory than in the launch. One product is a
 * square if the plan is for transforms. */
static enum gpu_status multiply_several(struct context *s, void *length) {
    const size_t n = *(const size_t *)length, r_at = 2 * REPORT_ENTRIES, u_at = r_at + 2 * n;
    const size_t each = u_at + 2 * n, words = SMALL_ITEMS * each;
    uint32_t *x = malloc(words * sizeof *x), *y = malloc(words * sizeof *y);
    struct small_plan plan;
    testing_words(x, words);
    ck_assert(small_plan_init(&plan, &s->dev.caps, 1, n, n));
    ck_assert_int_eq(small_prepare(s, &plan), GPU_OK);
    struct small_launch l = {.mem = words_up(s, x, words),
                             .r_at = r_at,
                             .u_at = u_at,
                             .is_checked = plan.log_n > 0,
                             .count = SMALL_ITEMS};
    ck_assert_int_eq(small_work_open(s, SMALL_ITEMS, &l.work), GPU_OK);
    for (unsigned i = 0; i < SMALL_ITEMS; i++) {
        const bool is_square = i == 5 && plan.log_n > 0;
        l.base[i] = (SMALL_ITEMS - 1 - i) * each;
        l.item[i] = small_item(&plan, n - i, n - (i == 5 ? i : 3 * i), is_square,
                               (3 * i + 1) % SMALL_ITEMS, 0);
    }
    ck_assert_int_eq(small_launch(s, &plan, &l), GPU_OK);
    words_down(s, y, l.mem, words);
    for (unsigned i = 0; i < SMALL_ITEMS; i++) {
        const uint32_t *u = x + l.base[i] + u_at;
        const bool is_square = i == 5 && plan.log_n > 0;
        check_words(y + l.base[i] + r_at, u, n - i, is_square ? u : u + ITEM_BEHIND(n - i),
                    n - (i == 5 ? i : 3 * i));
    }
    context_release(s, l.work, small_work_bytes(SMALL_ITEMS));
    free(x), free(y);
    return GPU_OK;
}

START_TEST(several_products) {
    static size_t lengths[] = {128, SMALL_DIGITS(8), SMALL_DIGITS(12), SMALL_DIGITS(14)};
    open_form(_i, ALGORITHM_BLOCK);
    for (size_t i = 0; i < sizeof lengths / sizeof *lengths; i++)
        with_device(multiply_several, &lengths[i]);
}
END_TEST

void add_small(TCase *tests) {
    tcase_add_loop_test(tests, columns, 0, KERNEL_FORMS);
    tcase_add_loop_test(tests, small_transforms, 0, KERNEL_FORMS);
    tcase_add_loop_test(tests, several_products, 0, KERNEL_FORMS);
}
