/* SPDX-License-Identifier: LGPL-3.0-or-later
 * Product trees on the host's kernels: levels of batches that begin anywhere in a buffer, columns
 * multiplied one by one, squares, and the check of the result. */
#include "lib/calc/calc_tree.h"
#include "lib/selftest/selftest.h"
#include "tests/kernels/trials.h"

enum { MOST_LIMBS = 1 << 12, MOST_RESULT = 3 * MOST_LIMBS };

struct tree {
    struct calc_tree plan;
    mp_limb_t limbs[MOST_LIMBS], result[MOST_RESULT];
    uint64_t bits[8], result_limbs;
};

static void multiply(struct calc *c, void *tree) {
    struct tree *t = tree;
    calc_download(c, t->result, calc_tree(c, &t->plan), t->result_limbs);
}

static enum gpu_status work(struct context *s, void *tree) {
    ck_assert_int_eq(calc_run(s, multiply, tree), GPU_OK);
    return GPU_OK;
}

/* start, then each group's columns. */
static void by_gmp(mpz_t r, const struct calc_tree *t) {
    mpz_set_ui(r, t->start[0]);
    for (unsigned i = 0; i < t->count; i++) {
        const struct calc_tree_group *g = &t->groups[i];
        if (g->is_squared)
            mpz_mul(r, r, r);
        for (uint64_t k = 0; k < g->columns << t->levels; k++)
            mpz_mul_ui(r, r, t->limbs[k / g->columns * t->columns + g->first + k % g->columns]);
    }
}

/* Two groups, of `columns` columns in all. */
static void compare(uint64_t columns, unsigned levels) {
    const struct calc_tree_group groups[] = {{0, 1, false}, {1, columns - 1, true}};
    const uint64_t start = 3;
    struct tree *t = calloc(1, sizeof *t);
    mpz_t right, result;
    mpz_inits(right, result, NULL);
    testing_limbs(t->limbs, columns << levels);
    for (uint64_t i = 0; i < columns << levels; i++)
        t->limbs[i] |= 1;
    for (uint64_t i = 0; i < columns; i++)
        t->bits[i] = UINT64_C(64) << levels;
    t->plan = (struct calc_tree){t->limbs, t->bits, columns, levels, groups, 2, &start, 1, 2};
    t->result_limbs = (calc_tree_bits(&t->plan) + 63) / 64;
    ck_assert(t->result_limbs <= MOST_RESULT);
    with_device(work, t);
    by_gmp(right, &t->plan);
    mpz_import(result, t->result_limbs, -1, sizeof *t->result, 0, 0, t->result);
    ck_assert_msg(mpz_cmp(result, right) == 0, "%lu columns, %u levels", columns, levels);
    mpz_clears(right, result, NULL);
    free(t);
}

START_TEST(trees) {
    open_form(_i, "auto");
    for (unsigned levels = 1; levels < 8; levels++)
        compare(2 + levels % 3, levels);
    compare(2, 11);
}
END_TEST

static enum gpu_status known_answers(struct context *s, void *unused) {
    (void)unused;
    ck_assert_int_eq(selftest_tree(s), GPU_OK);
    return GPU_OK;
}

START_TEST(remainders_and_sums) {
    open_form(_i, "auto");
    with_device(known_answers, NULL);
}
END_TEST

void add_trees(TCase *tests) {
    tcase_add_loop_test(tests, remainders_and_sums, 0, KERNEL_FORMS);
    tcase_add_loop_test(tests, trees, 0, KERNEL_FORMS);
}
