/* SPDX-License-Identifier: LGPL-3.0-or-later
 * Gcds, inverses and quotients of batches on the host's kernels, beside GMP's: each program, teams
 * of one and of several, groups with fewer numbers than teams.  Their checks have two forms. */
#include <string.h>

#include "lib/modular/euclid.h"
#include "tests/kernels/trials.h"

struct trial {
    struct euclid_operation op;
    uint32_t *u, *v, *r, *q;
    uint64_t *flags;
};

static uint64_t numbers_of_v(const struct euclid_operation *op) {
    return op->v_is_one ? 1 : op->count;
}

/* Some are equal, zero, or have a power of 2 in common. */
static void fill(struct trial *t) {
    const struct euclid_operation *op = &t->op;
    const size_t n = op->words;
    for (size_t i = 0; i < op->count; i++) {
        uint32_t *u = t->u + i * op->u_words, *v = t->v + (op->v_is_one ? 0 : i * n);
        testing_words(u, op->u_words);
        testing_words(v, n);
        if (op->kind != EUCLID_GCD)
            v[0] |= 1;
        if (op->has_even && (i % 2 || op->v_is_one)) {
            v[0]--;
            v[1] |= 1;
        }
        if (i % 8 == 2)
            memcpy(u, v, n * sizeof *u);
        if (i % 8 == 4)
            memset(u, 0, op->u_words * sizeof *u);
        if (i % 8 == 6)
            u[0] &= 0xfff80000;
        if (i % 8 == 6 && op->kind == EUCLID_GCD)
            v[0] &= 0xffff0000;
    }
}

static enum gpu_status operate(struct context *s, void *trial) {
    struct trial *t = trial;
    struct euclid_operation op = t->op;
    const uint64_t count = op.count, v_words = numbers_of_v(&op) * op.words;
    op.u = words_up(s, t->u, count * op.u_words);
    op.v = words_up(s, t->v, v_words);
    op.r = words_up(s, NULL, count * op.words);
    if (op.kind == EUCLID_DIVIDE)
        op.q = words_up(s, NULL, count * op.u_words);
    if (op.kind == EUCLID_INVERSE)
        op.flags = words_up(s, NULL, 2 * count);
    ck_assert_int_eq(euclid_operate(s, &op), GPU_OK);
    words_down(s, t->r, op.r, count * op.words);
    if (op.kind == EUCLID_DIVIDE)
        words_down(s, t->q, op.q, count * op.u_words);
    if (op.kind == EUCLID_INVERSE)
        words_down(s, (uint32_t *)t->flags, op.flags, 2 * count);
    words_down(s, NULL, op.u, count * op.u_words);
    words_down(s, NULL, op.v, v_words);
    return GPU_OK;
}

/* r = the inverse or 0, q = whether there is one. */
static void invert(mpz_t r, mpz_t q, const mpz_t u, const mpz_t v) {
    int exists = mpz_cmp_ui(v, 1) == 0 || mpz_invert(r, u, v);
    if (!exists || mpz_cmp_ui(v, 1) == 0)
        mpz_set_ui(r, 0);
    mpz_set_ui(q, exists);
}

static void by_gmp(mpz_t r, mpz_t q, enum euclid_kind kind, const mpz_t u, const mpz_t v) {
    switch (kind) {
    case EUCLID_GCD:
        mpz_gcd(r, u, v);
        break;
    case EUCLID_INVERSE:
        invert(r, q, u, v);
        break;
    default:
        mpz_tdiv_qr(q, r, u, v);
    }
}

static void compare_number(const struct trial *t, size_t i) {
    const struct euclid_operation *op = &t->op;
    mpz_t u, v, r, q, right_r, right_q;
    mpz_inits(u, v, r, q, right_r, right_q, NULL);
    number_of_words(u, t->u + i * op->u_words, op->u_words);
    number_of_words(v, t->v + (op->v_is_one ? 0 : i * op->words), op->words);
    number_of_words(r, t->r + i * op->words, op->words);
    if (op->kind == EUCLID_DIVIDE)
        number_of_words(q, t->q + i * op->u_words, op->u_words);
    if (op->kind == EUCLID_INVERSE)
        mpz_set_ui(q, t->flags[i]);
    by_gmp(right_r, right_q, op->kind, u, v);
    ck_assert_msg(mpz_cmp(r, right_r) == 0 && mpz_cmp(q, right_q) == 0,
                  "kind %d: number %zu of %u words, u of %u", op->kind, i, op->words, op->u_words);
    mpz_clears(u, v, r, q, right_r, right_q, NULL);
}

static void compare(struct euclid_operation op) {
    struct trial t = {.op = op};
    t.u = calloc(op.count * op.u_words, sizeof *t.u);
    t.v = calloc(op.count * op.words, sizeof *t.v);
    t.r = calloc(op.count * op.words, sizeof *t.r);
    t.q = calloc(op.count * op.u_words, sizeof *t.q);
    t.flags = calloc(op.count, sizeof *t.flags);
    fill(&t);
    with_device(operate, &t);
    for (size_t i = 0; i < op.count; i++)
        compare_number(&t, i);
    free(t.u), free(t.v), free(t.r), free(t.q), free(t.flags);
}

static struct euclid_operation euclid(enum euclid_kind kind, uint64_t count, uint32_t words) {
    return (struct euclid_operation){
        .kind = kind, .count = count, .words = words, .u_words = words};
}

START_TEST(gcds) {
    static const uint32_t sizes[][2] = {{70, 2}, {9, 8}, {9, 10}, {9, 16}, {9, 18}, {7, 100}};
    open_form(_i, "auto");
    for (unsigned i = 0; i < sizeof sizes / sizeof *sizes; i++)
        compare(euclid(EUCLID_GCD, sizes[i][0], sizes[i][1]));
}
END_TEST

/* The longest of the second program's are the longest in a row of work-items. */
START_TEST(inverses) {
    static const uint32_t sizes[][2] = {{70, 2}, {9, 8}, {9, 10}, {9, 36}, {1, 560}};
    open_form(_i, "auto");
    for (unsigned i = 0; i < sizeof sizes / sizeof *sizes; i++) {
        struct euclid_operation op = euclid(EUCLID_INVERSE, sizes[i][0], sizes[i][1]);
        op.has_even = i % 2;
        compare(op);
    }
}
END_TEST

START_TEST(inverses_by_one) {
    open_form(_i, "auto");
    for (int has_even = 0; has_even < 2; has_even++) {
        struct euclid_operation op = euclid(EUCLID_INVERSE, 9, 12);
        op.v_is_one = true;
        op.has_even = has_even;
        compare(op);
    }
}
END_TEST

START_TEST(quotients) {
    static const uint32_t sizes[][3] = {
        {70, 2, 4},    {9, 6, 8},     {9, 8, 16},      {9, 10, 20},    {9, 16, 16},   {9, 20, 20},
        {9, 32, 64},   {9, 60, 62},   {3, 128, 256},   {2, 130, 132},  {2, 256, 512}, {2, 258, 300},
        {2, 512, 514}, {2, 514, 516}, {1, 1024, 1028}, {2, 1026, 1030}};
    open_form(_i, "auto");
    for (unsigned i = 0; i < sizeof sizes / sizeof *sizes; i++) {
        struct euclid_operation op = euclid(EUCLID_DIVIDE, sizes[i][0], sizes[i][1]);
        op.u_words = sizes[i][2] < op.words ? op.words : sizes[i][2];
        op.v_is_one = i % 2;
        compare(op);
    }
}
END_TEST

/* Zeros and even ones among moduli. */
static enum gpu_status look(struct context *s, void *unused) {
    static const uint32_t v[] = {0, 0, 1, 0, 2, 0, 0, 5, 7, 7};
    struct euclid_found found;
    gpu_mem mem = words_up(s, v, 10);
    (void)unused;
    ck_assert_int_eq(euclid_look(s, mem, 5, 2, &found), GPU_OK);
    ck_assert_uint_eq(found.zeros, 1);
    ck_assert_uint_eq(found.even, 3);
    words_down(s, NULL, mem, 10);
    return GPU_OK;
}

START_TEST(zeros_and_even_ones) {
    int unused = 0;
    open_form(_i, "auto");
    with_device(look, &unused);
}
END_TEST

void add_euclid(TCase *tests) {
    tcase_add_loop_test(tests, gcds, 0, KERNEL_FORMS);
    tcase_add_loop_test(tests, inverses, 0, KERNEL_FORMS);
    tcase_add_loop_test(tests, inverses_by_one, 0, KERNEL_FORMS);
    tcase_add_loop_test(tests, quotients, 0, KERNEL_FORMS);
    tcase_add_loop_test(tests, zeros_and_even_ones, 0, KERNEL_FORMS);
}
