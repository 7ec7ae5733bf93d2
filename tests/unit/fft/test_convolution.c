/* SPDX-License-Identifier: LGPL-3.0-or-later
 * Tests products of polynomials whose coefficients are balanced digits (positive and negative
 * digits of numbers). Compares them with exact products, on every backend that has a device.
 * MPGPU_TEST_MARGINS=24 also prints the largest distances of results from integers at lengths up to
 * 2^24. */
#include "tests/support/backends.h"

#include <math.h>
#include <string.h>

#include "lib/fft/convolution.h"
#include "tests/unit/fft/convolution_case.h"

/* Coefficients of products up to 2^EXACT_LOG must be exact for all operands. The two MARGIN
 * constants limit the coefficients whose distances from integers are printed. */
enum { EXACT_LOG = 43, LEAST_MARGIN_LOG = 40, MOST_MARGIN_LOG = 53 };

static double log_of_coefficients(uint64_t length, unsigned bits) {
    return log2((double)length) + 2. * bits - 2;
}

/* ---- the reference */

static void check_digits(const struct convolution_operand *x) {
    const int64_t most = INT64_C(1) << (x->bits - 1);
    mpz_t sum, value;
    mpz_init(sum), mpz_init(value);
    for (uint64_t k = x->digits; k-- > 0;) {
        int64_t d = convolution_digit(x, k);
        ck_assert(d >= -most && d <= most);
        mpz_mul_2exp(sum, sum, x->bits);
        (d < 0 ? mpz_sub_ui : mpz_add_ui)(sum, sum, (unsigned long)(d < 0 ? -d : d));
    }
    mpz_import(value, x->count, -1, sizeof *x->words, 0, 0, x->words);
    ck_assert(mpz_cmp(sum, value) == 0);
    mpz_clear(sum), mpz_clear(value);
}

START_TEST(digits_give_the_number) {
    for (unsigned bits = CONVOLUTION_MIN_BITS; bits <= CONVOLUTION_MAX_BITS; bits++)
        for (int shape = 0; shape < CONVOLUTION_SHAPES; shape++) {
            struct convolution_operand x = convolution_operand_make((enum convolution_shape)shape,
                                                                    bits, 1 + testing_below(70));
            ck_assert_uint_eq(x.digits, convolution_digits(x.count, bits));
            check_digits(&x);
            convolution_operand_free(&x);
        }
}
END_TEST

/* Checks convolution_exact against products digit by digit, and convolution_is_right, which must
 * also reject a result with one wrong coefficient. */
START_TEST(reference_agrees) {
    for (int i = 0; i < 200; i++) {
        unsigned bits = 4 + (unsigned)testing_below(17);
        uint64_t length = 2 * (1 + testing_below(100)), most = convolution_words(length, bits);
        if (convolution_digits(most, bits) > length)
            continue;
        bool plus = i & 1;
        struct convolution_operand u =
            convolution_operand_make(i % CONVOLUTION_SHAPES, bits, 1 + testing_below(most));
        struct convolution_operand v = convolution_operand_make(CONVOLUTION_RUNS, bits, most);
        int64_t direct[200], exact[200];
        double c[200];
        convolution_direct(direct, length, plus, &u, &v);
        convolution_exact(exact, length, plus, &u, &v);
        ck_assert(memcmp(direct, exact, length * sizeof *exact) == 0);
        for (uint64_t k = 0; k < length; k++)
            c[k] = (double)exact[k] + 0.25;
        ck_assert(convolution_distance(c, length) == 0.25);
        ck_assert(convolution_is_right(c, length, plus, &u, &v));
        c[testing_below(length)] += 1;
        ck_assert(!convolution_is_right(c, length, plus, &u, &v));
        convolution_operand_free(&u), convolution_operand_free(&v);
    }
}
END_TEST

/* Checks that lengths 2^k, 3 2^k and 5 2^k from 2^12 on have plans, and that odd lengths have
 * none. */
START_TEST(plans) {
    struct fft_plan plan;
    for (unsigned log_n = 12; log_n <= 26; log_n++) {
        ck_assert(convolution_plan(&plan, UINT64_C(1) << log_n));
        ck_assert_uint_eq(convolution_bytes(&plan), UINT64_C(8) << log_n);
        ck_assert(convolution_plan(&plan, UINT64_C(3) << log_n));
        ck_assert(convolution_plan(&plan, UINT64_C(5) << log_n));
        ck_assert(!convolution_plan(&plan, (UINT64_C(1) << log_n) + 1));
        ck_assert(!convolution_plan(&plan, UINT64_C(7) << log_n));
    }
}
END_TEST

/* ---- products on the device */

/* Compares a product on the device with the exact one. Returns false if the device does not support
 * double. */
static bool check_product(uint64_t length, bool plus, const struct convolution_operand *u,
                          const struct convolution_operand *v) {
    double *c = malloc(length * sizeof *c);
    int64_t *exact = malloc(length * sizeof *exact);
    ck_assert(c && exact);
    bool ran = convolution_on_device(c, length, plus, u, v);
    if (ran) {
        convolution_exact(exact, length, plus, u, v);
        for (uint64_t k = 0; k < length; k++)
            ck_assert_msg(fabs(c[k] - (double)exact[k]) < 0.25,
                          "x^%llu %c 1, %u bits, %llu and %llu words: coefficient %llu is %.17g, "
                          "not %lld",
                          (unsigned long long)length, plus ? '+' : '-', u->bits,
                          (unsigned long long)u->count, (unsigned long long)v->count,
                          (unsigned long long)k, c[k], (long long)exact[k]);
    }
    free(c), free(exact);
    return ran;
}

/* Multiplies operands of two patterns, and squares one of them. Most operands are as long as the
 * length allows; then the product is longer than the transform and wraps round. */
static bool check_shapes(uint64_t length, unsigned bits, int shape, int other) {
    const uint64_t most = convolution_words(length, bits);
    struct fft_plan plan;
    /* lengths without a plan are skipped; the test `plans` checks which must have one */
    if (!convolution_plan(&plan, length))
        return true;
    ck_assert(convolution_digits(most, bits) <= length);
    uint64_t un = testing_below(3) ? most : 1 + testing_below(most);
    uint64_t vn = testing_below(3) ? most : 1 + testing_below(most);
    struct convolution_operand u =
        convolution_operand_make((enum convolution_shape)shape, bits, un);
    struct convolution_operand v =
        convolution_operand_make((enum convolution_shape)other, bits, vn);
    bool plus = testing_below(2);
    bool ran = check_product(length, plus, &u, &v) && check_product(length, !plus, &u, &u);
    convolution_operand_free(&u), convolution_operand_free(&v);
    return ran;
}

START_TEST(each_length_and_width) {
    const uint64_t lengths[] = {2048, 4096, 8192, 12288, 16384, 20480, 24576};
    open_backend(backends[_i]);
    for (size_t i = 0; i < sizeof lengths / sizeof *lengths; i++)
        for (unsigned bits = 4; bits <= 20; bits++)
            if (log_of_coefficients(lengths[i], bits) <= EXACT_LOG &&
                !check_shapes(lengths[i], bits, (int)testing_below(CONVOLUTION_SHAPES),
                              (int)testing_below(CONVOLUTION_SHAPES))) {
                testing_skip("%s: no doubles", backends[_i].name);
                return;
            }
}
END_TEST

/* Multiplies every pair of patterns, with digits of the most bits for which products in double are
 * exact. */
START_TEST(each_pair_of_shapes) {
    const uint64_t lengths[] = {2048, 4096, 3 << 12, 5 << 12};
    open_backend(backends[_i]);
    for (size_t i = 0; i < sizeof lengths / sizeof *lengths; i++) {
        unsigned bits = 20;
        while (log_of_coefficients(lengths[i], bits) > EXACT_LOG)
            bits--;
        for (int u = 0; u < CONVOLUTION_SHAPES; u++)
            for (int v = 0; v < CONVOLUTION_SHAPES; v++)
                if (!check_shapes(lengths[i], bits, u, v)) {
                    testing_skip("%s: no doubles", backends[_i].name);
                    return;
                }
    }
}
END_TEST

START_TEST(long_ones) {
    const uint64_t lengths[] = {1 << 14, 1 << 15, 3 << 13, 5 << 13, 1 << 16,
                                9 << 13, 1 << 17, 3 << 16, 1 << 18};
    open_backend(backends[_i]);
    for (size_t i = 0; i < sizeof lengths / sizeof *lengths; i++)
        for (int k = 0; k < 3; k++) {
            unsigned bits = 4 + (unsigned)testing_below(17);
            while (log_of_coefficients(lengths[i], bits) > EXACT_LOG)
                bits--;
            if (!check_shapes(lengths[i], bits, (int)testing_below(CONVOLUTION_SHAPES),
                              (int)testing_below(CONVOLUTION_SHAPES))) {
                testing_skip("%s: no doubles", backends[_i].name);
                return;
            }
        }
}
END_TEST

/* ---- prints how far results are from integers, for comparison with the error bound that
 * lib/multiply uses */

/* Prints a line: length, bits of a digit, pattern of both operands, the largest distance of a
 * coefficient from an integer, and whether the nearest integers are right. Covers products modulo
 * x^length - 1 and x^length + 1. */
static void print_margin(uint64_t length, unsigned bits, enum convolution_shape shape) {
    uint64_t words = convolution_words(length, bits);
    struct convolution_operand u = convolution_operand_make(shape, bits, words);
    struct convolution_operand v = convolution_operand_make(shape, bits, words);
    double *c = malloc(length * sizeof *c), most = 0;
    bool right = true;
    ck_assert_ptr_nonnull(c);
    for (int plus = 0; plus < 2; plus++)
        if (convolution_on_device(c, length, plus, &u, &v)) {
            double distance = convolution_distance(c, length);
            most = distance > most ? distance : most;
            right = convolution_is_right(c, length, plus, &u, &v) && right;
        }
    printf("margin %10llu %2u %-12s %.3g %s\n", (unsigned long long)length, bits,
           convolution_shape_names[shape], most, right ? "right" : "WRONG");
    fflush(stdout);
    free(c);
    convolution_operand_free(&u), convolution_operand_free(&v);
}

static void print_margins(uint64_t length) {
    struct fft_plan plan;
    if (!convolution_plan(&plan, length))
        return;
    for (unsigned bits = CONVOLUTION_MIN_BITS; bits <= CONVOLUTION_MAX_BITS; bits++) {
        double log_c = log_of_coefficients(length, bits);
        if (log_c < LEAST_MARGIN_LOG || log_c > MOST_MARGIN_LOG)
            continue;
        for (int shape = 0; shape < CONVOLUTION_SHAPES; shape++)
            if (shape != CONVOLUTION_ONES && shape != CONVOLUTION_ONE_BIT)
                print_margin(length, bits, (enum convolution_shape)shape);
    }
}

START_TEST(margins) {
    unsigned long most = testing_option("MPGPU_TEST_MARGINS", 0);
    if (most == 0)
        return;
    open_backend(backends[_i]);
    for (unsigned log_n = 10; log_n <= most && log_n <= 27; log_n += 2) {
        print_margins(UINT64_C(1) << log_n);
        print_margins(UINT64_C(3) << (log_n - 2));
        print_margins(UINT64_C(5) << (log_n - 3));
    }
}
END_TEST

int main(void) {
    /* the kernels are the same for CPUs and GPUs (test_images checks this), so the tests run
     * once */
    has_one_form = true;
    return run_on_backends("convolution",
                           TESTS(ONCE(digits_give_the_number), ONCE(reference_agrees), ONCE(plans),
                                 PER_DEVICE(each_length_and_width, 1),
                                 PER_DEVICE(each_pair_of_shapes, 1), PER_DEVICE(long_ones, 1),
                                 PER_DEVICE(margins, 1)),
                           NULL);
}
