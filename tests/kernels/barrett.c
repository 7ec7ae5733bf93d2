/* SPDX-License-Identifier: LGPL-3.0-or-later
 * Batches modulo numbers of any parity on the host's kernels, beside GMP's: moduli with and without
 * their highest bit, each operation, several numbers a group and several tiles a number.  Carries
 * have two forms. */
#include <string.h>

#include "lib/modular/barrett_step.h"
#include "tests/kernels/trials.h"

enum { EXPONENT_WORDS = 2 };

struct trial {
    struct barrett_operation b;
    uint32_t *m, *u, *v, *r;
    uint64_t *kinds;
};

static uint64_t numbers_of_m(const struct modular_operation *op) {
    return op->moduli.is_one ? 1 : op->count;
}

static bool is_power(const struct modular_operation *op) {
    return op->kind == MODULAR_KIND_POW || op->kind == MODULAR_KIND_POW_SECURE;
}

static uint64_t words_of_v(const struct modular_operation *op) {
    return is_power(op) ? (op->is_one_exponent ? 1 : op->count) * EXPONENT_WORDS
                        : op->count * op->words;
}

/* The first has all its bits, others fewer; operands need not be below. */
static void fill(struct trial *t) {
    const struct modular_operation *op = &t->b.op;
    const uint32_t words = op->words;
    testing_words(t->m, numbers_of_m(op) * words);
    testing_words(t->u, op->count * op->u_words);
    testing_words(t->v, words_of_v(op));
    for (uint64_t i = 0; i < numbers_of_m(op); i++) {
        uint32_t *m = t->m + i * words;
        m[0] |= 1;
        m[words - 1] |= 1u << 31;
        if (!t->b.is_normal && i % 3 == 1)
            m[words - 1] >>= 1 + i;
        if (!t->b.is_normal && i % 3 == 2)
            memset(m + 1, 0, (words - 1) * sizeof *m);
        if (i % 2 && words > 2)
            m[0] = (m[0] & ~1u) | 2u;
        if (i % 3 == 0)
            memcpy(t->u + i * op->u_words, m, words * sizeof *m);
    }
}

/* What is known of the moduli, and whether it is right. */
static void know(struct context *s, struct trial *t, struct modular_operation *op) {
    const uint64_t count = numbers_of_m(op);
    struct modular_request r = {.count = count, .words = op->words};
    r.m = words_up(s, t->m, count * op->words);
    r.known = words_up(s, NULL, count * BARRETT_KNOWN_WORDS(op->words));
    r.kinds = words_up(s, NULL, 2 * count);
    ck_assert_int_eq(barrett_moduli_compute(s, &r), GPU_OK);
    words_down(s, (uint32_t *)t->kinds, r.kinds, 2 * count);
    op->moduli.m = r.m;
    op->moduli.known = r.known;
}

static void check_kinds(const struct trial *t) {
    const uint32_t words = t->b.op.words;
    for (uint64_t i = 0; i < numbers_of_m(&t->b.op); i++) {
        mpz_t m;
        mpz_init(m);
        number_of_words(m, t->m + i * words, words);
        ck_assert_uint_eq((uint32_t)t->kinds[i], mpz_odd_p(m) ? MODULAR_IS_ODD : MODULAR_IS_EVEN);
        ck_assert_uint_eq(t->kinds[i] >> 32, 32 * words - mpz_sizeinbase(m, 2));
        mpz_clear(m);
    }
}

static enum gpu_status operate(struct context *s, void *trial) {
    struct trial *t = trial;
    struct barrett_operation b = t->b;
    struct modular_operation *op = &b.op;
    know(s, t, op);
    op->u = words_up(s, t->u, op->count * op->u_words);
    op->v = words_up(s, t->v, words_of_v(op));
    op->r = words_up(s, NULL, op->count * op->words);
    ck_assert_int_eq(barrett_operate(s, &b), GPU_OK);
    words_down(s, t->r, op->r, op->count * op->words);
    words_down(s, NULL, op->u, op->count * op->u_words);
    words_down(s, NULL, op->v, words_of_v(op));
    words_down(s, NULL, op->moduli.m, numbers_of_m(op) * op->words);
    words_down(s, NULL, op->moduli.known, numbers_of_m(op) * BARRETT_KNOWN_WORDS(op->words));
    return GPU_OK;
}

static void compare_number(const struct trial *t, uint64_t i) {
    const struct modular_operation *op = &t->b.op;
    const uint32_t words = op->words, v_words = is_power(op) ? EXPONENT_WORDS : words;
    const uint64_t e = is_power(op) && op->is_one_exponent ? 0 : i;
    mpz_t u, v, m, r, right;
    mpz_inits(u, v, m, r, right, NULL);
    number_of_words(u, t->u + i * op->u_words, op->u_words);
    number_of_words(v, t->v + e * v_words, v_words);
    number_of_words(m, t->m + (op->moduli.is_one ? 0 : i * words), words);
    number_of_words(r, t->r + i * words, words);
    modular_by_gmp(right, op->kind, u, v, m);
    ck_assert_msg(mpz_cmp(r, right) == 0, "kind %d: number %lu of %u words", op->kind, i, words);
    mpz_clears(u, v, m, r, right, NULL);
}

static void compare(struct barrett_operation b) {
    const size_t words = b.op.count * b.op.words * sizeof(uint32_t);
    struct trial t = {.b = b,
                      .m = malloc(words),
                      .u = malloc(2 * words),
                      .v = malloc(words + b.op.count * EXPONENT_WORDS * sizeof(uint32_t)),
                      .r = malloc(words),
                      .kinds = malloc(b.op.count * sizeof(uint64_t))};
    fill(&t);
    with_device(operate, &t);
    check_kinds(&t);
    for (uint64_t i = 0; i < b.op.count; i++)
        compare_number(&t, i);
    free(t.m);
    free(t.u);
    free(t.v);
    free(t.r);
    free(t.kinds);
}

static struct barrett_operation operation(enum modular_kind kind, uint64_t count, uint32_t words) {
    return (struct barrett_operation){.op = {.kind = kind,
                                             .count = count,
                                             .words = words,
                                             .u_words = words,
                                             .exponent_words = EXPONENT_WORDS}};
}

START_TEST(sums_and_products) {
    open_form(_i, "auto");
    for (uint32_t words = 2; words <= 42; words += 20)
        for (int kind = MODULAR_KIND_REDUCE; kind <= MODULAR_KIND_MUL; kind++) {
            struct barrett_operation b = operation((enum modular_kind)kind, 7, words);
            b.is_normal = words == 22;
            b.op.moduli.is_one = b.is_normal && kind == MODULAR_KIND_MUL;
            b.op.u_words *= kind == MODULAR_KIND_REDUCE && words > 2 ? 2 : 1;
            compare(b);
        }
}
END_TEST

START_TEST(several_tiles) {
    struct barrett_operation b = operation(MODULAR_KIND_ADD, 1, 2070);
    open_host("auto");
    b.is_normal = true;
    compare(b);
}
END_TEST

/* By transforms, or by matrix units. */
START_TEST(long_products) {
    open_form(_i, "auto");
    compare(operation(MODULAR_KIND_MUL, 3, 70));
    compare(operation(MODULAR_KIND_MUL, 2, 518));
}
END_TEST

START_TEST(powers) {
    struct barrett_operation b = operation(MODULAR_KIND_POW, 4, 6);
    open_form(_i, "auto");
    compare(b);
    b.op.kind = MODULAR_KIND_POW_SECURE;
    b.op.is_one_exponent = b.op.moduli.is_one = true;
    compare(b);
}
END_TEST

/* Three numbers at a time or fewer, the last time one. */
START_TEST(in_pieces) {
    struct barrett_operation b = operation(MODULAR_KIND_MUL, 7, 10);
    barrett_piece_bytes = 3 * 7 * 10 * sizeof(uint32_t);
    open_host("auto");
    compare(b);
    b.op.kind = MODULAR_KIND_REDUCE;
    b.op.u_words *= 2;
    compare(b);
    b = operation(MODULAR_KIND_SUB, 7, 10);
    compare(b);
    b.op.kind = MODULAR_KIND_POW;
    compare(b);
}
END_TEST

void add_barrett(TCase *tests) {
    tcase_add_loop_test(tests, sums_and_products, 0, KERNEL_FORMS);
    tcase_add_test(tests, several_tiles);
    tcase_add_test(tests, in_pieces);
    tcase_add_loop_test(tests, long_products, 0, KERNEL_FORMS);
    tcase_add_loop_test(tests, powers, 0, KERNEL_FORMS);
}
