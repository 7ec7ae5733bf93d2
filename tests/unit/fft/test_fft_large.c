/* SPDX-License-Identifier: LGPL-3.0-or-later
 * Tests long floating-point Fourier transforms on every backend that has a device, compared with
 * transforms in long double. MPGPU_TEST_FFT_LOG=26 tests up to 2^26 values, which takes 8 GB on the
 * host and a minute a length. */
#include "tests/support/backends.h"

#include <math.h>

#include "tests/unit/fft/fft_check.h"

enum { LOG_MOST = 20 };

static unsigned log_most(void) {
    unsigned long log_n = testing_option("MPGPU_TEST_FFT_LOG", LOG_MOST);
    return log_n > 30 ? 30 : (unsigned)log_n;
}

static void check(uint64_t n, uint64_t batch, struct fft_errors errors[2][2]) {
    struct fft_case c = fft_case_make(n, FFT_RANDOM);
    fft_check_all(&c, batch, errors);
    fft_case_free(&c);
}

START_TEST(powers_of_two) {
    struct fft_errors errors[2][2] = {0};
    open_backend(backends[_i]);
    for (unsigned log_n = 10; log_n <= log_most(); log_n++)
        check(UINT64_C(1) << log_n, log_n < 16 ? 3 : 1, errors);
    fft_print_errors("powers of two", errors);
}
END_TEST

static uint64_t power(uint64_t base, unsigned exponent) {
    return exponent == 0 ? 1 : base * power(base, exponent - 1);
}

START_TEST(factors_3_and_5) {
    const uint64_t lengths[] = {power(3, 7),      power(5, 5),        power(3, 9) * 2,
                                power(6, 6),      power(10, 5),       power(15, 4) * 8,
                                power(5, 8),      power(3, 12),       power(3, 11) * 4,
                                power(5, 7) * 9,  power(2, 18) * 3,   power(2, 16) * 15,
                                power(2, 17) * 5, power(2, 13) * 125, power(2, 8) * power(3, 7),
                                power(2, 19) * 3, power(5, 9),        power(3, 13),
                                power(10, 7),     power(2, 23) * 5,   power(2, 24) * 3};
    struct fft_errors errors[2][2] = {0};
    open_backend(backends[_i]);
    for (size_t i = 0; i < sizeof lengths / sizeof *lengths; i++)
        if (lengths[i] <= UINT64_C(1) << log_most())
            check(lengths[i], 1, errors);
    fft_print_errors("factors 3 and 5", errors);
}
END_TEST

/* Tests random lengths that the device supports; short ones are more frequent. */
START_TEST(random_lengths) {
    struct fft_errors errors[2][2] = {0};
    unsigned long times = testing_option("MPGPU_TEST_FFT_LENGTHS", 40);
    open_backend(backends[_i]);
    for (unsigned long i = 0; i < times; i++) {
        uint64_t n = 1025 + testing_below(1ul << (11 + testing_below(8)));
        while (!fft_reference_smooth(n))
            n++;
        check(n, 1 + testing_below(n < 10000 ? 5 : 2), errors);
    }
    fft_print_errors("random lengths", errors);
}
END_TEST

int main(void) {
    /* the kernels are the same for CPUs and GPUs (test_images checks this), so the tests run
     * once */
    has_one_form = true;
    return run_on_backends("fft_large",
                           TESTS(PER_DEVICE(powers_of_two, 1), PER_DEVICE(factors_3_and_5, 1),
                                 PER_DEVICE(random_lengths, 1)),
                           NULL);
}
