/* SPDX-License-Identifier: LGPL-3.0-or-later
 * Tests floating-point transforms by the kernels compiled as host C, compared with long double:
 * every length of a pass, several passes, real values, products of polynomials. */
#include "lib/fft/convolution.h"
#include "tests/kernels/trials.h"
#include "tests/unit/fft/convolution_case.h"
#include "tests/unit/fft/fft_check.h"

static void check_length(uint64_t n, uint64_t batch) {
    struct fft_case c = fft_case_make(n, FFT_RANDOM);
    fft_check_all(&c, batch, NULL);
    fft_case_free(&c);
}

/* Tests transforms of three short passes, which a plan has only for longer transforms. */
static void check_passes(unsigned first, unsigned second, unsigned third) {
    struct fft_case c = fft_case_make((uint64_t)first * second * third, FFT_RANDOM);
    struct fft_plan plan = {.n = c.n, .points = c.n, .passes = 3, .r = {first, second, third}};
    for (int precision = FFT_FLOAT; precision <= FFT_DOUBLE; precision++) {
        plan.precision = (enum fft_precision)precision;
        ck_assert(fft_check_plan(&c, &plan, 1, NULL));
    }
    fft_case_free(&c);
}

/* Tests transforms of each length in one pass. Batches of 3 and of 1 leave a part of the last
 * work-group idle. */
START_TEST(single_passes) {
    const uint64_t lengths[] = {16, 32, 64, 128, 192, 256, 320, 512, 1024, 2048, 4096};
    open_host(ALGORITHM_AUTO);
    fft_array_behind = 0;
    for (size_t i = 0; i < sizeof lengths / sizeof *lengths; i++) {
        check_length(lengths[i], 3);
        check_length(2 * lengths[i], 1);
    }
}
END_TEST

START_TEST(lengths_of_all_kinds) {
    const uint64_t lengths[] = {2,  3,  4,   5,   6,   8,   9,   10,   12,   15,   20,   25,
                                27, 30, 125, 243, 360, 625, 960, 1000, 1215, 3125, 7200, 8192};
    open_host(ALGORITHM_AUTO);
    fft_array_behind = 0;
    for (size_t i = 0; i < sizeof lengths / sizeof *lengths; i++)
        check_length(lengths[i], lengths[i] < 1000 ? 3 : 1);
}
END_TEST

/* Tests transforms of several passes. */
START_TEST(several_passes) {
    open_host(ALGORITHM_AUTO);
    fft_array_behind = 0;
    check_length(1 << 15, 1);
    check_length(3 << 13, 1);
    check_length(19683, 1);
    check_passes(16, 32, 16);
    check_passes(9, 16, 25);
}
END_TEST

static void check_product(const struct fft_plan *plan, unsigned bits, bool plus, uint64_t un,
                          uint64_t vn) {
    const uint64_t length = 2 * plan->points;
    struct convolution_operand u = convolution_operand_make(CONVOLUTION_RUNS, bits, un);
    struct convolution_operand v = convolution_operand_make(CONVOLUTION_RANDOM, bits, vn);
    double *c = malloc(length * sizeof *c);
    ck_assert(convolution_by_plan(c, plan, plus, &u, &v));
    ck_assert(convolution_is_right(c, length, plus, &u, &v));
    ck_assert(convolution_by_plan(c, plan, plus, &u, &u));
    ck_assert(convolution_is_right(c, length, plus, &u, &u));
    free(c);
    convolution_operand_free(&u), convolution_operand_free(&v);
}

static void check_products(const struct fft_plan *plan, unsigned bits) {
    const uint64_t most = convolution_words(2 * plan->points, bits);
    check_product(plan, bits, false, most, most);
    check_product(plan, bits, true, most, 1 + testing_below(most));
}

START_TEST(products_of_polynomials) {
    const uint64_t lengths[] = {2048, 12288, 20480, 131072};
    open_host(ALGORITHM_AUTO);
    for (size_t i = 0; i < sizeof lengths / sizeof *lengths; i++)
        for (unsigned bits = 9; bits <= 15; bits += 6) {
            struct fft_plan plan;
            ck_assert(convolution_plan(&plan, lengths[i]));
            check_products(&plan, bits);
        }
}
END_TEST

/* Tests passes of each length.  The pass is first in one transform, where it reads digits and
 * writes coefficients, and last in another, where it multiplies.  Then tests three passes. */
START_TEST(products_by_each_pass) {
    const unsigned lengths[] = {32, 64, 128, 192, 256, 320, 512, 1024};
    open_host(ALGORITHM_AUTO);
    for (size_t i = 0; i < sizeof lengths / sizeof *lengths; i++)
        for (int last = 0; last < 2; last++) {
            struct fft_plan plan = {.precision = FFT_DOUBLE, .passes = 2};
            plan.n = plan.points = 32 * lengths[i];
            plan.r[last] = lengths[i];
            plan.r[!last] = 32;
            check_products(&plan, 14);
        }
    const struct fft_plan three = {
        .precision = FFT_DOUBLE, .n = 1 << 16, .points = 1 << 16, .passes = 3, .r = {32, 64, 32}};
    check_products(&three, 14);
}
END_TEST

void add_ffts(TCase *tests) {
    tcase_add_test(tests, single_passes);
    tcase_add_test(tests, lengths_of_all_kinds);
    tcase_add_test(tests, several_passes);
    tcase_add_test(tests, products_of_polynomials);
    tcase_add_test(tests, products_by_each_pass);
}
