/* SPDX-License-Identifier: LGPL-3.0-or-later
 * Tests conversion of fixed-point numbers from and to doubles and decimals, compared with GMP's
 * rationals. */
#include <math.h>
#include <string.h>

#include "lib/fixed/convert.h"
#include "tests/support/testing.h"
#include "tests/unit/fixed/fixed_gmp.h"

static const unsigned sizes[] = {4, 6, 8};
enum { ROUNDS = 3000 };

/* Sets z to the integer nearest to q; in the middle between two integers, to the even one. */
static void nearest(mpz_t z, const mpq_t q) {
    mpz_t twice, rest;
    mpz_inits(twice, rest, NULL);
    mpz_fdiv_qr(z, rest, mpq_numref(q), mpq_denref(q));
    mpz_mul_2exp(twice, rest, 1);
    int order = mpz_cmp(twice, mpq_denref(q));
    if (order > 0 || (order == 0 && mpz_odd_p(z)))
        mpz_add_ui(z, z, 1);
    mpz_clears(twice, rest, NULL);
}

/* Checks a conversion of q: the number w must be nearest to q, or the status must be
 * CONVERT_RANGE. */
static void check_units(const mpq_t q, enum convert_status status, const uint32_t *w,
                        unsigned words, const char *text) {
    uint32_t right[8];
    mpq_t units;
    mpz_t z;
    mpq_init(units);
    mpz_init(z);
    mpq_mul_2exp(units, q, 32 * (words - 1));
    nearest(z, units);
    enum convert_status expected = convert_from_mpz(right, words, z);
    ck_assert_msg(status == expected, "%s: status %d, not %d", text, status, expected);
    if (status == CONVERT_OK)
        ck_assert_msg(memcmp(w, right, words * sizeof *w) == 0, "%s in %u words", text, words);
    mpq_clear(units);
    mpz_clear(z);
}

/* Makes a random decimal number as text, sometimes with an exponent, and sets q to its value. */
static void random_decimal(char *text, size_t most, mpq_t q) {
    size_t integer = testing_below(12), fraction = testing_below(most - 12), at = 0;
    long exponent = testing_below(3) ? 0 : (long)testing_below(60) - 30;
    char digits[2000];
    mpz_t ten;
    bool negative = testing_below(2), runs = testing_below(2);
    integer += integer + fraction == 0;
    if (negative)
        text[at++] = '-';
    for (size_t i = 0; i < integer + fraction; i++) {
        if (i == integer)
            text[at++] = '.';
        text[at++] = digits[i] = (char)('0' + (runs ? 9 * testing_below(2) : testing_below(10)));
    }
    digits[integer + fraction] = '\0';
    text[at] = '\0';
    if (exponent != 0)
        sprintf(text + at, "e%ld", exponent);
    mpz_init(ten);
    mpz_ui_pow_ui(ten, 10, (unsigned long)labs(exponent - (long)fraction));
    mpq_set_ui(q, 0, 1);
    mpz_set_str(mpq_numref(q), digits, 10);
    if (exponent < (long)fraction)
        mpz_set(mpq_denref(q), ten);
    else
        mpz_mul(mpq_numref(q), mpq_numref(q), ten);
    if (negative)
        mpq_neg(q, q);
    mpq_canonicalize(q);
    mpz_clear(ten);
}

START_TEST(decimals_are_rounded_to_nearest) {
    static char text[2100];
    const unsigned words = sizes[_i];
    uint32_t w[8];
    mpq_t q;
    mpq_init(q);
    for (int i = 0; i < ROUNDS; i++) {
        random_decimal(text, i % 8 == 0 ? 1500 : 90, q);
        check_units(q, convert_from_text(w, words, text), w, words, text);
    }
    mpq_clear(q);
}
END_TEST

/* Tests decimals in the middle between two representable numbers, and their neighbours. */
START_TEST(decimals_between_two_numbers) {
    const unsigned words = sizes[_i], places = 32 * (words - 1) + 1;
    char text[400], digits[300];
    uint32_t w[8];
    mpq_t q;
    mpz_t z;
    mpq_init(q);
    mpz_init(z);
    for (int i = 0; i < 300; i++) {
        unsigned long half = 2 * testing_below(1000) + 1;
        mpz_ui_pow_ui(z, 5, places);
        mpz_mul_ui(z, z, half); /* half / 2^places = z / 10^places */
        mpz_get_str(digits, 10, z);
        memset(text, '0', sizeof text);
        memcpy(text, i & 1 ? "-." : "0.", 2);
        strcpy(text + 2 + places - strlen(digits), digits);
        if (i % 3 == 1)
            strcat(text, "0000000001");
        mpq_set_ui(q, 0, 1);
        mpz_set_str(mpq_numref(q), text + 2, 10);
        mpz_ui_pow_ui(mpq_denref(q), 10, strlen(text) - 2);
        if (i & 1)
            mpq_neg(q, q);
        mpq_canonicalize(q);
        check_units(q, convert_from_text(w, words, text), w, words, text);
    }
    mpq_clear(q);
    mpz_clear(z);
}
END_TEST

START_TEST(bad_decimals) {
    static const char *const malformed[] = {"",    ".",    "-",   "+.",  "1.2.3", "1e",  "1e+",
                                            "e5",  "0x10", " 1",  "1 ",  "1,5",   "--1", "nan",
                                            "inf", "1e5x", ".e1", "1-2", "1e--1"};
    static const char *const too_large[] = {"2147483648",
                                            "-2147483648.000001",
                                            "1e10",
                                            "1e999999999999",
                                            "99999999999",
                                            "0.3e11",
                                            "2147483647."
                                            "999999999999999999999999999999999999999999999999999999"
                                            "99999999999999999999999999999999999"};
    static const char *const good[] = {"-2147483648",
                                       "+0",
                                       "-0",
                                       "1.",
                                       ".5",
                                       "00000000000000000001",
                                       "1e-99999999999",
                                       "0e99999999999",
                                       "2147483647.5",
                                       "-0.0E+3"};
    uint32_t w[8];
    for (unsigned k = 0; k < 3; k++) {
        for (size_t i = 0; i < sizeof malformed / sizeof *malformed; i++)
            ck_assert_msg(convert_from_text(w, sizes[k], malformed[i]) == CONVERT_MALFORMED,
                          "\"%s\"", malformed[i]);
        for (size_t i = 0; i < sizeof too_large / sizeof *too_large; i++)
            ck_assert_msg(convert_from_text(w, sizes[k], too_large[i]) == CONVERT_RANGE, "\"%s\"",
                          too_large[i]);
        for (size_t i = 0; i < sizeof good / sizeof *good; i++)
            ck_assert_msg(convert_from_text(w, sizes[k], good[i]) == CONVERT_OK, "\"%s\"", good[i]);
    }
}
END_TEST

/* Converts w to text with that number of digits: it must be the decimal nearest to the number. */
static void check_text(const uint32_t *w, unsigned words, unsigned digits) {
    static char text[600];
    mpq_t q, ten;
    mpz_t z, got;
    mpq_inits(q, ten, NULL);
    mpz_inits(z, got, NULL);
    ck_assert_int_eq(convert_to_text(text, digits + 14, w, words, digits), CONVERT_OK);
    convert_to_mpz(mpq_numref(q), w, words);
    mpq_div_2exp(q, q, 32 * (words - 1));
    mpz_ui_pow_ui(mpq_numref(ten), 10, digits);
    mpq_mul(q, q, ten);
    nearest(z, q);
    char *point = strchr(text, '.');
    ck_assert(digits == 0 ? point == NULL : point && strlen(point + 1) == digits);
    if (point)
        memmove(point, point + 1, strlen(point));
    ck_assert_int_eq(mpz_set_str(got, text, 10), 0);
    ck_assert_msg(mpz_cmp(got, z) == 0, "%s with %u digits", text, digits);
    mpq_clears(q, ten, NULL);
    mpz_clears(z, got, NULL);
}

START_TEST(texts_are_rounded_to_nearest) {
    const unsigned words = sizes[_i];
    uint32_t w[8], again[8];
    char text[300];
    for (int i = 0; i < ROUNDS; i++) {
        fixed_fill(w, 1, words);
        for (unsigned k = 0; i % 4 == 0 && k + 2 < words; k++)
            w[k] = 0; /* leaves only high words, so that decimals in the middle between two texts
                         occur */
        check_text(w, words, (unsigned)testing_below(i % 4 == 0 ? 33 : 32 * words));
        ck_assert_int_eq(convert_to_text(text, sizeof text, w, words, 32 * (words - 1)),
                         CONVERT_OK);
        ck_assert_int_eq(convert_from_text(again, words, text), CONVERT_OK);
        ck_assert_msg(memcmp(w, again, words * sizeof *w) == 0, "%s", text);
    }
    ck_assert_int_eq(convert_to_text(text, 3, w, words, 5), CONVERT_NOMEM);
}
END_TEST

static double random_double(void) {
    double d = ldexp((double)gmp_urandomb_ui(*testing_random(), 53), (int)testing_below(360) - 330);
    return testing_below(2) ? -d : d;
}

START_TEST(doubles_are_rounded_to_nearest) {
    const unsigned words = sizes[_i];
    uint32_t w[8];
    char text[60];
    mpq_t q;
    mpq_init(q);
    for (int i = 0; i < 10 * ROUNDS; i++) {
        double d = i < 40 ? ldexp(i & 1 ? -1 : 1, i / 2 + 13 - (int)(i % 4 * 8)) : random_double();
        mpq_set_d(q, d);
        sprintf(text, "%a", d);
        check_units(q, convert_from_double(w, words, d), w, words, text);
    }
    mpq_clear(q);
    ck_assert_int_eq(convert_from_double(w, words, NAN), CONVERT_MALFORMED);
    ck_assert_int_eq(convert_from_double(w, words, -INFINITY), CONVERT_RANGE);
    ck_assert_int_eq(convert_from_double(w, words, -2147483648.), CONVERT_OK);
    ck_assert_int_eq(convert_from_double(w, words, 2147483648.), CONVERT_RANGE);
}
END_TEST

/* Converts w to a double. No neighbouring double may be nearer; if one is as near, the result
 * must be the even one. Distances are exact. */
static void check_double(const uint32_t *w, unsigned words) {
    double d = convert_to_double(w, words);
    mpq_t q, at, other;
    mpq_inits(q, at, other, NULL);
    convert_to_mpz(mpq_numref(q), w, words);
    mpq_div_2exp(q, q, 32 * (words - 1));
    mpq_set_d(at, d);
    mpq_sub(at, at, q);
    mpq_abs(at, at);
    for (int up = 0; up < 2; up++) {
        uint64_t bits;
        mpq_set_d(other, nextafter(d, up ? INFINITY : -INFINITY));
        mpq_sub(other, other, q);
        mpq_abs(other, other);
        memcpy(&bits, &d, sizeof bits);
        int order = mpq_cmp(at, other);
        ck_assert_msg(order < 0 || (order == 0 && !(bits & 1)), "%a in %u words", d, words);
    }
    mpq_clears(q, at, other, NULL);
}

START_TEST(numbers_to_doubles) {
    const unsigned words = sizes[_i];
    uint32_t w[8];
    for (int i = 0; i < ROUNDS; i++) {
        fixed_fill(w, 1, words);
        unsigned long zeros = testing_below(words + 1); /* makes some highest words 0 or all
                                                           ones, for small numbers of both signs */
        for (unsigned k = words - (unsigned)zeros; k < words; k++)
            w[k] = i & 1 ? ~0u : 0;
        if (i % 3 == 0) { /* halves between doubles */
            memset(w, 0, sizeof w);
            w[2] = 0x80000000u | (uint32_t)testing_below(1ul << 31);
            w[1] = (uint32_t)gmp_urandomb_ui(*testing_random(), 32) & 0xfffff800u;
            w[1] |= 0x400;
            w[0] = i % 2 ? 0 : (uint32_t)testing_below(3);
        }
        check_double(w, words);
    }
}
END_TEST

int main(void) {
    testing_random();
    return testing_main(
        "convert", 300,
        TESTS(LOOP(decimals_are_rounded_to_nearest, 3), LOOP(decimals_between_two_numbers, 3),
              ONCE(bad_decimals), LOOP(texts_are_rounded_to_nearest, 3),
              LOOP(doubles_are_rounded_to_nearest, 3), LOOP(numbers_to_doubles, 3)));
}
