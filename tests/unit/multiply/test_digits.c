/* SPDX-License-Identifier: LGPL-3.0-or-later
 * Tests numbers in redundant digits (digits with a sign and a wider range) on each backend's device
 * (lib/multiply/redundant.h). The digits must equal the host's, which test_redundant compares with
 * GMP. Words that the device converts from digits must be GMP's. */
#include <string.h>

#include "lib/multiply/redundant.h"
#include "lib/session/session.h"
#include "lib/transfer/transfer.h"
#include "tests/support/backends.h"
#include "tests/support/digits.h"

enum kind { SUM, DIFFERENCE, PRODUCT, SETTLED, COPY, TO_WORDS, FROM_WORDS, KINDS };

/* The words before and after a result, which must not change. On the device, numbers begin after
 * AROUND words. */
enum { AROUND = 4 };
#define AROUND_WORD 0xa5a55a5au

struct known_answer {
    enum kind kind;
    s32 *u, *v, *r; /* r includes the AROUND words before and after the result */
    size_t un, vn, rn;
    s32 k;
};

static enum gpu_status load(struct context *s, enum context_slot slot, const s32 *x, size_t n,
                            struct number *number) {
    enum gpu_status status = number_in_slot(s, slot, n + AROUND, number);
    number->at = AROUND;
    number->words = n;
    return status ? status
                  : transfer_up(s->transfer, &s->queue, number->mem, AROUND * sizeof *x, x,
                                n * sizeof *x);
}

static enum gpu_status operate(struct context *s, const struct known_answer *t, struct number r,
                               struct number u, struct number v) {
    switch (t->kind) {
    case SUM:
    case DIFFERENCE:
        return redundant_add(s, r, u, v, t->kind == DIFFERENCE);
    case PRODUCT:
        return redundant_mul_1(s, r, u, t->k);
    case SETTLED:
        return redundant_resolve(s, r, u);
    case COPY:
        return redundant_copy(s, r, u);
    case TO_WORDS:
        return redundant_to_words(s, r, u);
    default:
        return redundant_from_words(s, r, u);
    }
}

static enum gpu_status run(struct context *s, void *context) {
    struct known_answer *t = context;
    size_t room = t->rn + 2 * AROUND;
    struct number u, v, r;
    enum gpu_status status = load(s, SLOT_U, t->u, t->un, &u);
    status = status ? status : load(s, SLOT_V, t->v, t->vn, &v);
    status = status ? status : load(s, SLOT_R, t->r, room, &r);
    r.at = 2 * AROUND;
    r.words = t->rn;
    status = status ? status : operate(s, t, r, u, v);
    return status ? status
                  : transfer_down(s->transfer, &s->queue, t->r, r.mem, AROUND * sizeof *t->r,
                                  room * sizeof *t->r);
}

static s32 at(const s32 *x, size_t n, size_t i) {
    /* callers also pass i - 1 and i - 2; negative values wrap to huge ones, which are not below
     * n */
    return i < n ? x[i] : 0;
}

static s32 right_digit(const struct known_answer *t, size_t i) {
    s32 x = at(t->u, t->un, i), x1 = at(t->u, t->un, i - 1), x2 = at(t->u, t->un, i - 2);
    s64 k = t->k;
    return t->kind == SUM          ? x + at(t->v, t->vn, i)
           : t->kind == DIFFERENCE ? x - at(t->v, t->vn, i)
           : t->kind == PRODUCT    ? digit_sum3(x * k, x1 * k, x2 * k)
           : t->kind == COPY       ? x
                                   : digit_resolve(x, x1);
}

/* Modulo 2^bits. */
static void check_value(const struct known_answer *t, mpz_t value, mpz_t right, size_t bits) {
    mpz_fdiv_r_2exp(value, value, bits);
    mpz_fdiv_r_2exp(right, right, bits);
    ck_assert_msg(mpz_cmp(value, right) == 0, "kind %d, %zu digits to %zu", t->kind, t->un, t->rn);
}

static void check_words(const struct known_answer *t) {
    const s32 *r = t->r + AROUND, *digits = t->kind == TO_WORDS ? t->u : r;
    const s32 *words = t->kind == TO_WORDS ? r : t->u;
    size_t n = t->kind == TO_WORDS ? t->un : t->rn, wn = t->kind == TO_WORDS ? t->rn : t->un;
    mpz_t value, right;
    mpz_inits(value, right, NULL);
    digits_value(value, digits, n);
    mpz_import(right, wn, -1, sizeof *words, 0, 0, words);
    check_value(t, value, right, t->kind == TO_WORDS ? 32 * wn : 24 * n);
    for (size_t i = 0; i < n && t->kind == FROM_WORDS; i++)
        ck_assert(digits[i] >= 0 && digits[i] < DIGIT_BASE);
    mpz_clears(value, right, NULL);
}

static void compare(struct known_answer *t) {
    t->r = malloc((t->rn + 2 * AROUND) * sizeof *t->r);
    for (size_t i = 0; i < t->rn + 2 * AROUND; i++)
        t->r[i] = (s32)AROUND_WORD;
    ck_assert_int_eq(session_run(run, t, sizeof *t, 0), OUTCOME_DONE);
    for (size_t i = 0; i < AROUND; i++)
        ck_assert(t->r[i] == (s32)AROUND_WORD && t->r[AROUND + t->rn + i] == (s32)AROUND_WORD);
    if (t->kind >= TO_WORDS)
        check_words(t);
    for (size_t i = 0; i < t->rn && t->kind < TO_WORDS; i++)
        ck_assert_msg(t->r[AROUND + i] == right_digit(t, i), "kind %d, %zu digits: digit %zu",
                      t->kind, t->un, i);
    free(t->r);
}

/* Returns the length of a result: mostly just enough for its value, sometimes shorter or longer. */
static size_t result_size(enum kind kind, size_t n) {
    size_t full = kind == PRODUCT      ? n + 2
                  : kind == SETTLED    ? n + 1
                  : kind == TO_WORDS   ? (24 * n + 31) / 32 + 1
                  : kind == FROM_WORDS ? (size_t)redundant_digits(n)
                                       : n;
    unsigned long choice = kind <= DIFFERENCE ? 0 : testing_below(4);
    return choice < 2 ? full : choice == 2 ? 1 + testing_below(full) : full + testing_below(20);
}

/* Compares every operation on numbers of n digits. */
static void compare_all(size_t n) {
    struct known_answer t = {.un = n, .vn = 1 + testing_below(n)};
    int shape = (int)testing_below(DIGIT_SHAPES);
    t.u = malloc(n * sizeof *t.u);
    t.v = malloc(n * sizeof *t.v);
    for (t.kind = SUM; t.kind < KINDS; t.kind++) {
        s64 m = t.kind <= DIFFERENCE             ? INT32_MAX / 2
                : shape & 1 && t.kind < TO_WORDS ? DIGIT_PRODUCT
                                                 : INT32_MAX;
        digits_fill(t.u, n, m, shape);
        digits_fill(t.v, n, m, shape + 1);
        if (t.kind == FROM_WORDS)
            testing_limbs((mp_limb_t *)t.u, n / 2);
        const s64 factors[] = {DIGIT_BASE, -DIGIT_BASE, DIGIT_BASE - 1, 1 - DIGIT_BASE, 0, 1, -1};
        unsigned long choice = testing_below(10);
        t.k = choice < 7 ? (s32)factors[choice]
                         : (s32)((s64)testing_below(2 * DIGIT_BASE + 1) - DIGIT_BASE);
        t.rn = result_size(t.kind, n);
        compare(&t);
    }
    free(t.u);
    free(t.v);
}

START_TEST(short_numbers) {
    open_backend(backends[_i]);
    for (size_t n = 1; n < 70; n++)
        compare_all(n);
}
END_TEST

START_TEST(random_sizes) {
    open_backend(backends[_i]);
    for (unsigned long k = testing_option("MPGPU_TEST_PRODUCTS", 100); k > 0; k--)
        compare_all(testing_size(30000));
}
END_TEST

/* Tests a carry that runs through several work-groups, each of which waits for the carry of the one
 * before. */
START_TEST(carries_over_groups) {
    open_backend(backends[_i]);
    enum { DIGITS = 200000 };
    struct known_answer t = {.kind = TO_WORDS, .un = DIGITS, .vn = 1, .rn = DIGITS * 3 / 4};
    t.u = calloc(DIGITS, sizeof *t.u);
    t.v = t.u;
    for (int sign = -1; sign <= 1; sign += 2) {
        for (int i = 0; i < DIGITS; i++)
            t.u[i] = i > 0 ? sign * (s32)(DIGIT_BASE - 1) : sign;
        compare(&t);
        t.u[0] = -t.u[0];
        compare(&t);
    }
    memset(t.u, 0, DIGITS * sizeof *t.u);
    t.u[0] = -1;
    compare(&t);
    free(t.u);
}
END_TEST

int main(void) {
    return run_on_backends("digits",
                           TESTS(PER_DEVICE(short_numbers, 1), PER_DEVICE(random_sizes, 1),
                                 PER_DEVICE(carries_over_groups, 1)),
                           NULL);
}
