/* SPDX-License-Identifier: LGPL-3.0-or-later
 * Tests examples/mandelbrot: decimal numbers, and the computation of colours. */
#include <math.h>
#include <string.h>

#include "examples/mandelbrot/decimal.h"
#include "examples/mandelbrot/picture/palette.h"
#include "examples/mandelbrot/picture/smooth.h"
#include "examples/mandelbrot/picture/tint.h"
#include "include/mpgpu.h"
#include "tests/support/testing.h"

static const struct {
    const char *text, *value;
} good[] = {{"0", "0"},
            {"-0", "0"},
            {"1", "1"},
            {"+1", "1"},
            {"-1.25", "-5/4"},
            {".5", "1/2"},
            {"5.", "5"},
            {"-.5", "-1/2"},
            {"00012.500", "25/2"},
            {"1e3", "1000"},
            {"1E+3", "1000"},
            {"125e-3", "1/8"},
            {"1.5e-1", "3/20"},
            {"0.1e1", "1"},
            {"1e-30", "1/1000000000000000000000000000000"},
            {"123456789012345678901234567890.5", "246913578024691357802469135781/2"},
            {"0e20000", "0"}};

static const char *const malformed[] = {
    "",    " ",    "-",     "+",   ".",  "-.",   "e5",   "1e",   "1e+", "1e-", "1 ",  " 1",
    "1,5", "1..5", "1.2.3", "--1", "1-", "0x10", "1e5.", "1e 5", "nan", "inf", "1/2", "1e5x"};

static const char *const huge[] = {"1e20001", "1e-20001", "1e99999999999999999999999",
                                   "1e-99999999999999999999999", "0e20001"};

START_TEST(decimals_are_exact) {
    mpq_t value, expected;
    mpq_inits(value, expected, NULL);
    for (size_t i = 0; i < sizeof good / sizeof *good; i++) {
        ck_assert_msg(decimal_parse(value, good[i].text) == DECIMAL_GOOD, "%s", good[i].text);
        mpq_set_str(expected, good[i].value, 10);
        ck_assert_msg(mpq_equal(value, expected), "%s", good[i].text);
    }
    mpq_clears(value, expected, NULL);
}
END_TEST

START_TEST(bad_decimals_are_refused) {
    mpq_t value;
    mpq_init(value);
    for (size_t i = 0; i < sizeof malformed / sizeof *malformed; i++)
        ck_assert_msg(decimal_parse(value, malformed[i]) == DECIMAL_MALFORMED, "%s", malformed[i]);
    for (size_t i = 0; i < sizeof huge / sizeof *huge; i++)
        ck_assert_msg(decimal_parse(value, huge[i]) == DECIMAL_HUGE_EXPONENT, "%s", huge[i]);
    ck_assert_int_eq(mpq_sgn(value), 0);
    mpq_clear(value);
}
END_TEST

/* Each case: a decimal text, fractional bits, and the expected fixed-point number. */
START_TEST(decimals_become_fixed) {
    static const struct {
        const char *text;
        unsigned long bits;
        const char *fixed;
    } cases[] = {{"0.5", 0, "1"},
                 {"-0.5", 0, "0"},
                 {"-0.75", 0, "-1"},
                 {"0.25", 2, "1"},
                 {"0.374", 2, "1"},
                 {"0.375", 2, "2"},
                 {"-1", 70, "-1180591620717411303424"},
                 {"0.1", 8, "26"},
                 {"-0.1", 8, "-26"},
                 {"1e-30", 90, "0"},
                 {"1e-30", 100, "1"}};
    mpq_t value;
    mpz_t fixed;
    mpq_init(value);
    mpz_init(fixed);
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        decimal_parse(value, cases[i].text);
        decimal_to_fixed(fixed, value, cases[i].bits);
        char *text = mpz_get_str(NULL, 10, fixed);
        ck_assert_msg(strcmp(text, cases[i].fixed) == 0, "%s: %s", cases[i].text, text);
        free(text);
    }
    mpq_clear(value);
    mpz_clear(fixed);
}
END_TEST

START_TEST(powers_of_two_are_told) {
    mpq_t value;
    mpq_init(value);
    for (int i = 0; i < 10000; i++) {
        mpz_urandomb(mpq_numref(value), *testing_random(), 1 + testing_below(200));
        mpz_urandomb(mpq_denref(value), *testing_random(), 1 + testing_below(200));
        mpz_add_ui(mpq_numref(value), mpq_numref(value), 1);
        mpz_add_ui(mpq_denref(value), mpq_denref(value), 1);
        mpq_canonicalize(value);
        long log2 = decimal_log2(value);
        if (log2 < 0)
            mpq_mul_2exp(value, value, (unsigned long)-log2);
        else
            mpq_div_2exp(value, value, (unsigned long)log2);
        ck_assert(mpq_cmp_ui(value, 1, 1) >= 0 && mpq_cmp_ui(value, 4, 1) < 0);
    }
    mpq_clear(value);
}
END_TEST

START_TEST(logarithms_are_near) {
    for (int i = 0; i < 100000; i++) {
        mp_limb_t x;
        testing_limbs(&x, 1);
        x >>= testing_below(64);
        x += x == 0;
        double error = smooth_log2(x) - 65536 * log2((double)x);
        ck_assert_msg(error <= 0.5 && error > -2, "%lu: %g", (unsigned long)x, error);
    }
}
END_TEST

/* Smooth iteration counts must be continuous: the value at the end of iteration n must equal the
 * value at the beginning of iteration n + 1. */
START_TEST(iterations_are_smooth) {
    const uint32_t one = 1 << MPGPU_MANDELBROT_NORM_BITS;
    for (uint32_t n = 0; n < 1000; n++) {
        uint64_t first = smooth_iterations((struct escape){n, MPGPU_MANDELBROT_ESCAPE * one});
        uint64_t last = smooth_iterations((struct escape){n, UINT32_MAX / 2});
        ck_assert_uint_eq(first, (uint64_t)(n + 1) << SMOOTH_FRACTION);
        ck_assert(last <= (uint64_t)(n << SMOOTH_FRACTION) + 4 &&
                  last + 4 >= (uint64_t)n << SMOOTH_FRACTION);
    }
    for (uint32_t norm = MPGPU_MANDELBROT_ESCAPE * one; norm < UINT32_MAX / 2; norm += 12345)
        ck_assert(smooth_iterations((struct escape){5, norm}) >=
                  smooth_iterations((struct escape){5, norm + 12345}));
}
END_TEST

static int distance(struct colour a, struct colour b) {
    return abs(a.red - b.red) + abs(a.green - b.green) + abs(a.blue - b.blue);
}

START_TEST(palettes_are_round) {
    static struct colour round[PALETTE_SIZE];
    char *names = strdup(palette_names());
    ck_assert(palette_find("no such palette") == NULL && palette_find("") == NULL);
    for (char *name = strtok(names, ", "); name; name = strtok(NULL, ", ")) {
        const struct palette *palette = palette_find(name);
        ck_assert_msg(palette != NULL, "%s", name);
        palette_fill(round, palette);
        uint32_t first = palette->stop[0];
        ck_assert(round[0].red == first >> 16 && round[0].green == (first >> 8 & 255) &&
                  round[0].blue == (first & 255));
        for (int i = 0; i < PALETTE_SIZE; i++)
            ck_assert_msg(distance(round[i], round[(i + 1) % PALETTE_SIZE]) < 12, "%s, %d", name,
                          i);
    }
    free(names);
}
END_TEST

/* If no sample of a view escapes, its pixels must be black. The mean of equal colours must be that
 * colour. */
START_TEST(inside_is_black_and_means_are_exact) {
    static struct tint tint;
    uint32_t iterations[16], norms[16] = {0};
    struct colour row[2];
    const struct samples samples = {iterations, norms};
    for (int i = 0; i < 16; i++)
        iterations[i] = 10;
    tint_measure(&tint, palette_find("grey"), &samples, 16, 10);
    tint_row(&tint, row, &samples, 1, 2, 2);
    ck_assert_int_eq(distance(row[0], (struct colour){0, 0, 0}), 0);
    for (int i = 0; i < 16; i++)
        norms[i] = MPGPU_MANDELBROT_ESCAPE << MPGPU_MANDELBROT_NORM_BITS;
    tint_measure(&tint, palette_find("grey"), &samples, 16, 11);
    tint_row(&tint, row, &samples, 1, 2, 2);
    struct colour one = tint_of(&tint, samples_get(&samples, 3));
    ck_assert_int_eq(distance(row[0], one) + distance(row[1], one), 0);
}
END_TEST

int main(void) {
    return testing_main("decimal", 4,
                        TESTS(ONCE(decimals_are_exact), ONCE(bad_decimals_are_refused),
                              ONCE(decimals_become_fixed), ONCE(powers_of_two_are_told),
                              ONCE(logarithms_are_near), ONCE(iterations_are_smooth),
                              ONCE(palettes_are_round), ONCE(inside_is_black_and_means_are_exact)));
}
