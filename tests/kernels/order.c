/* SPDX-License-Identifier: LGPL-3.0-or-later
 * Batches compared, selected and resized on the host's kernels: numbers that are equal, or differ
 * in one word. */
#include <string.h>

#include "lib/multiply/batch.h"
#include "lib/multiply/batch_order.h"
#include "lib/selftest/selftest.h"
#include "tests/kernels/trials.h"

/* Lengths are even: numbers are of limbs. */
struct trial {
    uint64_t count;
    uint32_t words, result_words;
    uint32_t *u, *v, *r;
    uint64_t *c, *orders;
};

static void fill(struct trial *t) {
    const size_t n = t->words;
    for (size_t i = 0; i < t->count; i++) {
        uint32_t *u = t->u + i * n, *v = t->v + i * n;
        testing_words(u, n);
        memcpy(v, u, n * sizeof *v);
        if (i % 3)
            v[testing_below(n)] ^= 1u << testing_below(32);
        if (i % 3 == 2)
            testing_words(v, 1 + testing_below(n));
        t->c[i] = i % 2 ? UINT64_C(1) << testing_below(64) : 0;
    }
}

static struct trial trial(uint64_t count, uint32_t words, uint32_t result_words) {
    struct trial t = {.count = count, .words = words, .result_words = result_words};
    t.u = calloc(count * words, sizeof *t.u);
    t.v = calloc(count * words, sizeof *t.v);
    t.r = calloc(count * result_words, sizeof *t.r);
    t.c = calloc(count, sizeof *t.c);
    t.orders = calloc(count, sizeof *t.orders);
    fill(&t);
    return t;
}

static void done(struct trial *t) {
    free(t->u), free(t->v), free(t->r), free(t->c), free(t->orders);
}

static enum gpu_status order(struct context *s, void *trial) {
    const struct trial *t = trial;
    const uint64_t words = t->count * t->words;
    struct batch_order op = {.kind = BATCH_COMPARE, .count = t->count, .words = t->words};
    gpu_mem selected = words_up(s, NULL, words), orders = words_up(s, NULL, 2 * t->count);
    op.u = words_up(s, t->u, words);
    op.v = words_up(s, t->v, words);
    op.c = words_up(s, (const uint32_t *)t->c, 2 * t->count);
    ck_assert_int_eq(selftest_order(s), GPU_OK);
    op.r = orders;
    ck_assert_int_eq(batch_order_operate(s, &op), GPU_OK);
    op.kind = BATCH_SELECT;
    op.r = selected;
    ck_assert_int_eq(batch_order_operate(s, &op), GPU_OK);
    words_down(s, t->r, selected, words);
    words_down(s, (uint32_t *)t->orders, orders, 2 * t->count);
    words_down(s, NULL, op.u, words);
    words_down(s, NULL, op.v, words);
    words_down(s, NULL, op.c, 2 * t->count);
    return GPU_OK;
}

static void compare_order(uint64_t count, uint32_t words) {
    struct trial t = trial(count, words, words);
    mpz_t u, v;
    mpz_inits(u, v, NULL);
    with_device(order, &t);
    for (size_t i = 0; i < count; i++) {
        const size_t at = i * words;
        number_of_words(u, t.u + at, words);
        number_of_words(v, t.v + at, words);
        int sign = mpz_cmp(u, v);
        ck_assert_msg(t.orders[i] == (sign > 0   ? 1
                                      : sign < 0 ? UINT64_MAX
                                                 : 0),
                      "comparison %zu of %u words", i, words);
        ck_assert_msg(memcmp(t.r + at, (t.c[i] ? t.u : t.v) + at, words * sizeof *t.r) == 0,
                      "selection %zu of %u words", i, words);
    }
    mpz_clears(u, v, NULL);
    done(&t);
}

START_TEST(comparisons_and_selections) {
    static const uint32_t sizes[][2] = {{300, 2}, {77, 6},  {65, 8},   {33, 10},
                                        {9, 64},  {5, 258}, {3, 1000}, {1, 2002}};
    open_form(_i, "auto");
    for (unsigned i = 0; i < sizeof sizes / sizeof *sizes; i++)
        compare_order(sizes[i][0], sizes[i][1]);
}
END_TEST

static enum gpu_status resize(struct context *s, void *trial) {
    const struct trial *t = trial;
    struct batch_operation op = {.kind = BATCH_RESIZE,
                                 .count = t->count,
                                 .words = t->words,
                                 .result_words = t->result_words,
                                 .terms = 1};
    op.term[0] = words_up(s, t->u, t->count * t->words);
    op.r = words_up(s, NULL, t->count * t->result_words);
    ck_assert_int_eq(batch_operate(s, &op), GPU_OK);
    words_down(s, t->r, op.r, t->count * t->result_words);
    words_down(s, NULL, op.term[0], t->count * t->words);
    return GPU_OK;
}

static void compare_resized(uint64_t count, uint32_t words, uint32_t result_words) {
    struct trial t = trial(count, words, result_words);
    with_device(resize, &t);
    for (size_t i = 0; i < count; i++)
        for (size_t k = 0; k < result_words; k++)
            ck_assert_msg(t.r[i * result_words + k] == (k < words ? t.u[i * words + k] : 0),
                          "number %zu of %u words in %u: word %zu", i, words, result_words, k);
    done(&t);
}

START_TEST(other_lengths) {
    open_form(_i, "auto");
    compare_resized(131, 2, 6);
    compare_resized(131, 6, 2);
    compare_resized(9, 64, 66);
    compare_resized(5, 300, 258);
    compare_resized(1, 10, 10);
}
END_TEST

void add_order(TCase *tests) {
    tcase_add_loop_test(tests, comparisons_and_selections, 0, KERNEL_FORMS);
    tcase_add_loop_test(tests, other_lengths, 0, KERNEL_FORMS);
}
