/* SPDX-License-Identifier: LGPL-3.0-or-later
 * Tests plans of floating-point Fourier transforms, and the transforms on the host
 * (fft_reference.h) with which other tests compare. Uses no device. */
#include "tests/support/testing.h"

#include <math.h>

#include "lib/fft/fft_plan.h"
#include "tests/unit/fft/fft_reference.h"

/* ---- plans */

static void check_plan(enum fft_precision precision, bool is_real, uint64_t n) {
    struct fft_plan p;
    bool served = n >= 2 && n <= UINT64_C(1) << 30 && fft_reference_smooth(n);
    ck_assert_msg(fft_plan_init(&p, precision, is_real, n) == served, "n = %llu",
                  (unsigned long long)n);
    if (!served)
        return;
    ck_assert(p.precision == precision && p.is_real == is_real && p.n == n);
    ck_assert(p.points == n || (is_real && n % 2 == 0 && p.points == n / 2));
    ck_assert_uint_le(p.passes, FFT_MAX_PASSES);
    uint64_t product = 1;
    for (unsigned i = 0; i < p.passes; i++) {
        ck_assert_uint_ge(p.r[i], p.points > 1 ? 2 : 1);
        product *= p.r[i];
    }
    ck_assert_msg(product == p.points, "n = %llu: the passes' product is %llu",
                  (unsigned long long)n, (unsigned long long)product);
    ck_assert_uint_eq(fft_complex_bytes(&p), precision == FFT_DOUBLE ? 16 : 8);
}

static void check_plans(uint64_t n) {
    check_plan(FFT_FLOAT, false, n);
    check_plan(FFT_DOUBLE, false, n);
    check_plan(FFT_FLOAT, true, n);
    check_plan(FFT_DOUBLE, true, n);
}

START_TEST(each_length_to_2_16) {
    for (uint64_t n = 0; n <= 1 << 16; n++)
        check_plans(n);
}
END_TEST

/* Checks that each supported length up to 2^30 (a product of powers of 2, 3 and 5) has a plan. */
START_TEST(each_smooth_length) {
    const uint64_t most = UINT64_C(1) << 30;
    for (uint64_t a = 1; a <= most; a *= 2)
        for (uint64_t b = a; b <= most; b *= 3)
            for (uint64_t c = b; c <= most; c *= 5)
                check_plans(c);
}
END_TEST

START_TEST(limits) {
    const uint64_t most = UINT64_C(1) << 30;
    const uint64_t some[] = {most - 1,
                             most,
                             most + 1,
                             7u << 20,
                             most / 8 * 9,
                             most / 2 * 3,
                             2 * most,
                             UINT64_C(1) << 32,
                             UINT64_C(1) << 63,
                             UINT64_MAX,
                             3486784401 /* 3^20 */,
                             (UINT64_C(1) << 32) + 2 /* this length, cut to 32 bits, would be 2 */};
    for (size_t i = 0; i < sizeof some / sizeof *some; i++)
        check_plans(some[i]);
}
END_TEST

/* ---- the reference */

static struct wide *random_values(uint64_t n) {
    struct wide *x = wide_alloc(n);
    for (uint64_t j = 0; j < n; j++)
        x[j] = (struct wide){(long double)testing_below(1ul << 40) * 0x1p-40L - 0.5L,
                             (long double)testing_below(1ul << 40) * 0x1p-40L - 0.5L};
    return x;
}

/* Returns the largest difference of x and y, in units of 2^-64 times the root mean square of y. */
static long double distance(const struct wide *x, const struct wide *y, uint64_t n) {
    long double most = 0, squares = 0;
    for (uint64_t k = 0; k < n; k++) {
        long double d = wide_square((struct wide){x[k].re - y[k].re, x[k].im - y[k].im});
        most = d > most ? d : most;
        squares += wide_square(y[k]);
    }
    return sqrtl(most) / sqrtl(squares / (long double)n) * 0x1p64L;
}

/* Both transforms on the host must agree within 100 units of 2^-64, relative to the root mean
 * square. For comparison: a thousandth of the unit roundoff of double is 2 such units. */
START_TEST(both_references_agree) {
    long double most = 0;
    for (uint64_t n = 1; n <= 1536; n++) {
        if (!fft_reference_smooth(n))
            continue;
        struct wide *x = random_values(n), *roots = wide_alloc(n);
        struct wide *direct = wide_alloc(n), *fast = wide_alloc(n);
        fft_reference_roots(roots, n);
        fft_reference_direct(direct, x, roots, n);
        fft_reference_fast(fast, x, roots, n);
        long double d = distance(fast, direct, n);
        ck_assert_msg(d < 100, "n = %llu: %Lg", (unsigned long long)n, d);
        most = d > most ? d : most;
        free(x), free(roots), free(direct), free(fast);
    }
    printf("references: at most %.1Lf 2^-64 rms(y) apart\n", most);
}
END_TEST

/* Transforms x[j] = exp(2 pi i j f / n). The result must be n at index f, and 0 elsewhere, so this
 * also tests the sign of the exponent. */
START_TEST(reference_of_a_tone) {
    const uint64_t lengths[] = {2, 3, 4, 5, 12, 125, 1024, 30000, 65536};
    for (size_t i = 0; i < sizeof lengths / sizeof *lengths; i++) {
        const uint64_t n = lengths[i], f = testing_below(n);
        struct wide *x = wide_alloc(n), *y = wide_alloc(n), *roots = wide_alloc(n);
        long double angle = 2 * acosl(-1) / (long double)n;
        fft_reference_roots(roots, n);
        for (uint64_t j = 0; j < n; j++)
            x[j] = (struct wide){cosl(angle * (long double)(j * f % n)),
                                 sinl(angle * (long double)(j * f % n))};
        fft_reference_fast(y, x, roots, n);
        for (uint64_t k = 0; k < n; k++) {
            long double right = k == f ? (long double)n : 0;
            ck_assert(fabsl(y[k].re - right) < 0x1p-56L * (long double)n);
            ck_assert(fabsl(y[k].im) < 0x1p-56L * (long double)n);
        }
        free(x), free(y), free(roots);
    }
}
END_TEST

/* Checks that each root is a power of the first one. */
START_TEST(roots_are_powers) {
    for (uint64_t n = 1; n <= 1 << 20; n = n < 100 ? n + 1 : 4 * n - 1) {
        struct wide *roots = wide_alloc(n);
        fft_reference_roots(roots, n);
        for (uint64_t j = 0; j < n; j++) {
            struct wide next = wide_mul(roots[j], roots[1 % n]), right = roots[(j + 1) % n];
            ck_assert(fabsl(next.re - right.re) < 0x1p-60L && fabsl(next.im - right.im) < 0x1p-60L);
        }
        ck_assert(n < 8 || (roots[1].re > 0 && roots[1].im < 0));
        free(roots);
    }
}
END_TEST

int main(void) {
    testing_random();
    return testing_main("fft_plan", 120,
                        TESTS(ONCE(each_length_to_2_16), ONCE(each_smooth_length), ONCE(limits),
                              ONCE(both_references_agree), ONCE(reference_of_a_tone),
                              ONCE(roots_are_powers)));
}
