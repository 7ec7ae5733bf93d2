/* SPDX-License-Identifier: LGPL-3.0-or-later
 * Tests redundant digits (kernels/sums/redundant.h), compiled as host C. Values must be GMP's, and
 * digits must stay within their bounds, also at the ends of a number. */
#include "tests/support/digits.h"
#include "tests/support/testing.h"

enum { DIGITS = 24 };

static const s64 base = DIGIT_BASE;

/* Returns digit i of x; digits outside x are 0. */
static s64 at(const s32 *x, int i) {
    return i >= 0 && i < DIGITS ? x[i] : 0;
}

static void check(const s32 *y, int n, s64 bound, const mpz_t right) {
    mpz_t z;
    mpz_init(z);
    for (int i = 0; i < n; i++)
        ck_assert(y[i] <= bound && y[i] >= -bound);
    digits_value(z, y, n);
    ck_assert(mpz_cmp(z, right) == 0);
    mpz_clear(z);
}

START_TEST(components_add_up) {
    const s64 edges[] = {0, 1, base / 2 - 1, base / 2, base / 2 + 1, base - 1, base, (s64)1 << 62};
    for (int i = 0; i < 100000; i++) {
        s64 t = i < 16 ? edges[i / 2] : (s64)testing_below((1ul << 62) >> testing_below(62));
        t = i & 1 ? -t : t;
        ck_assert(digit_low(t) >= -base / 2 && digit_low(t) < base / 2);
        ck_assert(digit_low(t) + base * digit_rest(t) == t);
        ck_assert(digit_rest2(t) == digit_rest(digit_rest(t)));
    }
}
END_TEST

static s64 bound_of_product(s64 m) {
    return base + (2 * m + base) / (2 * base);
}

/* Multiplies x by one factor after another. The digits of each product must stay within the
 * bound. */
static void check_products(s64 m, int shape) {
    s32 x[DIGITS], y[DIGITS + 2];
    mpz_t z;
    mpz_init(z);
    const s64 factors[] = {base, -base, base - 1, 1 - base, base / 2, base / 2 + 1, 1, 0};
    digits_fill(x, DIGITS, m, shape);
    for (int round = 0; round < 12; round++) {
        s64 k = round < 8 ? factors[round] : (s64)testing_below(2 * base + 1) - base;
        for (int i = 0; i < DIGITS + 2; i++)
            y[i] = digit_sum3(at(x, i) * k, at(x, i - 1) * k, at(x, i - 2) * k);
        digits_value(z, x, DIGITS);
        mpz_mul_si(z, z, k);
        check(y, DIGITS + 2, bound_of_product(m), z);
        for (int i = 0; i < DIGITS && m == DIGIT_PRODUCT; i++)
            x[i] = y[i];
    }
    mpz_clear(z);
}

START_TEST(products_by_a_digit) {
    ck_assert(bound_of_product(DIGIT_PRODUCT) == DIGIT_PRODUCT);
    ck_assert(bound_of_product(DIGIT_PRODUCT - 1) > DIGIT_PRODUCT - 1);
    for (int i = 0; i < 2000; i++) {
        check_products(DIGIT_PRODUCT, i);
        check_products(INT32_MAX / DIGIT_PRODUCT * DIGIT_PRODUCT, i);
        check_products(INT32_MAX, i);
    }
}
END_TEST

/* Checks that the bound on the digits of products cannot be lower: the most extreme digits reach
 * it. */
START_TEST(bound_of_products_is_sharp) {
    s64 m = DIGIT_PRODUCT;
    ck_assert(digit_sum3(-base / 2, -base / 2 * base, -m * base) == -m);
    ck_assert(digit_sum3(base / 2 - 1, (base / 2 - 1) * base, m * base) == m - 2);
}
END_TEST

static void check_resolved(s64 m, s64 bound, int shape) {
    s32 x[DIGITS], y[DIGITS + 1];
    mpz_t z;
    mpz_init(z);
    digits_fill(x, DIGITS, m, shape);
    for (int i = 0; i < DIGITS + 1; i++)
        y[i] = digit_resolve((s32)at(x, i), (s32)at(x, i - 1));
    digits_value(z, x, DIGITS);
    check(y, DIGITS + 1, bound, z);
    mpz_clear(z);
}

START_TEST(resolved_digits) {
    ck_assert(digit_resolve((s32)(-base / 2), INT32_MIN) == -DIGIT_SETTLED);
    for (int i = 0; i < 10000; i++) {
        check_resolved(INT32_MAX, DIGIT_SETTLED, i);
        check_resolved(DIGIT_SETTLED, base / 2 + 1, i);
    }
}
END_TEST

/* Adds up digits until one more digit would overflow 32 bits. Each digit has the greatest size of a
 * digit after its carry is resolved, DIGIT_SETTLED. After the carry of the sum is resolved, the
 * size must be at most DIGIT_SETTLED again. */
START_TEST(sums_grow_to_the_word) {
    s64 most = INT32_MAX / DIGIT_SETTLED;
    ck_assert(DIGIT_BITS != 24 || most >= 128);
    ck_assert(DIGIT_BITS != 30 || most >= 2);
    for (int sign = -1; sign <= 1; sign += 2) {
        s32 sum = 0;
        for (s64 i = 0; i < most; i++)
            sum = (s32)(sum + sign * DIGIT_SETTLED);
        ck_assert(sum == sign * most * DIGIT_SETTLED);
        s64 resolved = digit_resolve(sum, sum);
        ck_assert(resolved <= DIGIT_SETTLED && resolved >= -DIGIT_SETTLED);
        ck_assert(digit_low(sum) + base * digit_rest(sum) == sum);
    }
}
END_TEST

int main(void) {
    testing_random();
    return testing_main("redundant", 120,
                        TESTS(ONCE(components_add_up), ONCE(products_by_a_digit),
                              ONCE(bound_of_products_is_sharp), ONCE(resolved_digits),
                              ONCE(sums_grow_to_the_word)));
}
