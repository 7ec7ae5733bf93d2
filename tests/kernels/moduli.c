/* SPDX-License-Identifier: LGPL-3.0-or-later
 * Batches modulo odd numbers on the host's kernels, beside GMP's: each program and operation; and
 * what is known of moduli of any kind. */
#include <string.h>

#include "lib/modular/modular.h"
#include "lib/selftest/selftest.h"
#include "tests/kernels/host_backend.h"
#include "tests/kernels/trials.h"

enum { NUMBERS = 5, MOST = NUMBERS * MODULAR_MOST_WORDS, EXPONENT_WORDS = 2 };

/* Results without a check, and with what it has traced. */
enum { CHECKS = 2 };

struct trial {
    struct modular_operation op;
    uint32_t m[MOST], u[2 * MOST], v[MOST], r[CHECKS][MOST], e[NUMBERS * EXPONENT_WORDS];
    uint32_t known[NUMBERS * MODULAR_KNOWN_WORDS(MODULAR_MOST_WORDS)];
    uint64_t kinds[NUMBERS];
};

static uint64_t numbers_of_m(const struct trial *t) {
    return t->op.moduli.is_one ? 1 : NUMBERS;
}

static bool is_power(const struct trial *t) {
    return t->op.kind == MODULAR_KIND_POW || t->op.kind == MODULAR_KIND_POW_SECURE;
}

/* ---- moduli */

static struct modular_request moduli_up(struct context *s, const struct trial *t) {
    const uint64_t count = numbers_of_m(t);
    const uint32_t words = t->op.words;
    struct modular_request r = {.count = count, .words = words};
    r.m = words_up(s, t->m, count * words);
    r.known = words_up(s, NULL, count * MODULAR_KNOWN_WORDS(words));
    r.kinds = words_up(s, NULL, 2 * count);
    ck_assert_int_eq(modular_moduli_compute(s, &r), GPU_OK);
    return r;
}

static void moduli_down(struct context *s, struct trial *t, const struct modular_request *r) {
    words_down(s, t->known, r->known, r->count * MODULAR_KNOWN_WORDS(r->words));
    words_down(s, (uint32_t *)t->kinds, r->kinds, 2 * r->count);
    words_down(s, NULL, r->m, r->count * r->words);
}

static enum gpu_status prepare(struct context *s, void *trial) {
    struct modular_request r = moduli_up(s, trial);
    moduli_down(s, trial, &r);
    return GPU_OK;
}

/* {x, words} is 2^bits mod m. */
static void check_power(const uint32_t *x, uint32_t words, uint64_t bits, const mpz_t m) {
    mpz_t power, got;
    mpz_inits(power, got, NULL);
    mpz_setbit(power, bits);
    mpz_mod(power, power, m);
    number_of_words(got, x, words);
    ck_assert_msg(mpz_cmp(got, power) == 0, "2^%lu modulo a number of %u words", bits, words);
    mpz_clears(power, got, NULL);
}

static void check_known(const struct trial *t, size_t i) {
    const uint32_t words = t->op.words, *m = t->m + i * words;
    const uint32_t *known = t->known + i * MODULAR_KNOWN_WORDS(words);
    const uint64_t bits = UINT64_C(32) * modular_rows(words);
    mpz_t x;
    mpz_init(x);
    number_of_words(x, m, words);
    if (m[0] % 2) {
        ck_assert_uint_eq(t->kinds[i], MODULAR_IS_ODD);
        check_power(known, words, 2 * bits, x);
        check_power(known + words, words, bits, x);
        ck_assert_uint_eq((uint32_t)(known[2 * words] * m[0]), UINT32_MAX);
    } else {
        ck_assert_uint_eq(t->kinds[i], mpz_sgn(x) ? MODULAR_IS_EVEN : MODULAR_IS_ZERO);
        for (uint32_t k = 0; k < MODULAR_KNOWN_WORDS(words); k++)
            ck_assert_uint_eq(known[k], 0);
    }
    mpz_clear(x);
}

START_TEST(moduli) {
    struct trial *t = calloc(1, sizeof *t);
    open_host("auto");
    for (uint32_t words = 2; words <= 18; words += 8) {
        t->op.words = words;
        testing_words(t->m, (size_t)NUMBERS * words);
        t->m[0] |= 1;
        memset(t->m + words, 0, words * sizeof *t->m); /* zero, 1, even, of few words */
        memset(t->m + 2 * words, 0, words * sizeof *t->m);
        t->m[2 * words] = 1;
        t->m[3 * words] &= ~1u;
        t->m[3 * words + 1] |= 1;
        memset(t->m + 4 * words + 1, 0, (words - 1) * sizeof *t->m);
        t->m[4 * words] |= 1;
        with_device(prepare, t);
        for (size_t i = 0; i < NUMBERS; i++)
            check_known(t, i);
    }
    free(t);
}
END_TEST

/* ---- operations */

static enum gpu_status operate(struct context *s, void *trial) {
    struct trial *t = trial;
    struct modular_operation op = t->op;
    const struct modular_request r = moduli_up(s, t);
    const uint64_t words = (uint64_t)NUMBERS * op.words, u_words = (uint64_t)NUMBERS * op.u_words;
    const uint64_t v_words = is_power(t) ? NUMBERS * EXPONENT_WORDS : words;
    op.moduli.m = r.m;
    op.moduli.known = r.known;
    op.u = words_up(s, t->u, u_words);
    op.v = words_up(s, is_power(t) ? t->e : t->v, v_words);
    for (int check = 0; check < CHECKS; check++) {
        mpgpu_conf.verify = check ? VERIFY_DEVICE : VERIFY_OFF;
        op.r = words_up(s, NULL, words);
        ck_assert_int_eq(modular_operate(s, &op), GPU_OK);
        words_down(s, t->r[check], op.r, words);
    }
    words_down(s, NULL, op.u, u_words);
    words_down(s, NULL, op.v, v_words);
    moduli_down(s, t, &r);
    return GPU_OK;
}

static void compare_number(const struct trial *t, size_t i) {
    const struct modular_operation *op = &t->op;
    const size_t words = op->words;
    mpz_t u, v, m, r, right;
    mpz_inits(u, v, m, r, right, NULL);
    number_of_words(u, t->u + i * op->u_words, op->u_words);
    if (is_power(t))
        number_of_words(v, t->e + (op->is_one_exponent ? 0 : i * EXPONENT_WORDS), EXPONENT_WORDS);
    else
        number_of_words(v, t->v + i * words, words);
    number_of_words(m, t->m + (op->moduli.is_one ? 0 : i * words), words);
    modular_by_gmp(right, op->kind, u, v, m);
    for (int check = 0; check < CHECKS; check++) {
        number_of_words(r, t->r[check] + i * words, words);
        ck_assert_msg(mpz_cmp(r, right) == 0, "kind %d, check %d: number %zu of %zu words",
                      op->kind, check, i, words);
    }
    mpz_clears(u, v, m, r, right, NULL);
}

static void compare(struct modular_operation op) {
    struct trial *t = calloc(1, sizeof *t);
    const size_t words = op.words, count = NUMBERS;
    t->op = op;
    testing_words(t->m, count * words);
    testing_words(t->u, count * op.u_words);
    testing_words(t->v, count * words);
    testing_words(t->e, count * EXPONENT_WORDS);
    for (size_t i = 0; i < count; i++)
        t->m[i * words] |= 1;
    with_device(operate, t);
    for (size_t i = 0; i < count; i++)
        compare_number(t, i);
    free(t);
}

static struct modular_operation operation(enum modular_kind kind, uint32_t words) {
    return (struct modular_operation){.kind = kind,
                                      .count = NUMBERS,
                                      .words = words,
                                      .u_words = words,
                                      .exponent_words = EXPONENT_WORDS};
}

/* The shortest of each program, that ends in a span, and the longest. */
START_TEST(sums_and_products) {
    open_host("auto");
    for (uint32_t longest = MODULAR_LEAST_WORDS; longest <= MODULAR_MOST_WORDS; longest *= 2)
        for (int kind = MODULAR_KIND_REDUCE; kind <= MODULAR_KIND_MUL; kind++) {
            struct modular_operation op = operation(
                (enum modular_kind)kind, kind == MODULAR_KIND_MUL ? longest : longest / 2 + 2);
            op.moduli.is_one = kind == MODULAR_KIND_SUB;
            if (kind == MODULAR_KIND_REDUCE)
                op.u_words *= 2;
            compare(op);
        }
}
END_TEST

/* One form has long ones by doubles. */
START_TEST(powers) {
    open_form(_i, "auto");
    for (uint32_t longest = MODULAR_LEAST_WORDS; longest <= MODULAR_MOST_WORDS; longest *= 2) {
        struct modular_operation op = operation(MODULAR_KIND_POW, longest / 2 + 2);
        compare(op);
        if (longest > 32)
            continue;
        op.kind = MODULAR_KIND_POW_SECURE;
        op.is_one_exponent = op.moduli.is_one = true;
        compare(op);
    }
}
END_TEST

/* Doubles that do nothing: the self-test finds it, and words are taken. */
static enum gpu_status test_without_doubles(struct context *s, void *unused) {
    (void)unused;
    ck_assert_int_eq(selftest_modular(s, MODULAR_LEAST_DOUBLE_WORDS), GPU_OK);
    ck_assert(!s->dev.caps.fast_doubles);
    return GPU_OK;
}

START_TEST(doubles_that_err) {
    host_lazy = "modular_power_double";
    open_form(1, "auto");
    mpgpu_conf.verify = VERIFY_OFF; /* which would read what nobody has written */
    with_device(test_without_doubles, NULL);
}
END_TEST

void add_moduli(TCase *tests) {
    tcase_add_test(tests, moduli);
    tcase_add_test(tests, sums_and_products);
    tcase_add_loop_test(tests, powers, 0, KERNEL_FORMS);
    tcase_add_test(tests, doubles_that_err);
}
