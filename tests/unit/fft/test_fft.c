/* SPDX-License-Identifier: LGPL-3.0-or-later
 * Tests floating-point Fourier transforms on every backend that has a device, compared with
 * transforms in long double. */
#include "tests/support/backends.h"

#include <math.h>
#include <string.h>

#include "tests/unit/fft/fft_check.h"

/* ---- lengths */

START_TEST(each_length_to_1024) {
    struct fft_errors errors[2][2] = {0};
    open_backend(backends[_i]);
    for (uint64_t n = 2; n <= FFT_DIRECT_MOST; n++)
        if (fft_reference_smooth(n)) {
            struct fft_case c = fft_case_make(n, FFT_RANDOM);
            fft_check_all(&c, 3, errors);
            fft_case_free(&c);
        }
    fft_print_errors("n <= 1024", errors);
}
END_TEST

START_TEST(shapes_of_input) {
    const uint64_t lengths[] = {2,   3,   4,   5,    6,    8,    9,    15,   16,  30,  32,
                                64,  81,  125, 128,  135,  240,  256,  500,  512, 625, 729,
                                750, 960, 972, 1000, 1024, 2048, 4096, 5000, 6561};
    open_backend(backends[_i]);
    for (size_t i = 0; i < sizeof lengths / sizeof *lengths; i++)
        for (int shape = FFT_RANDOM + 1; shape < FFT_SHAPES; shape++) {
            struct fft_case c = fft_case_make(lengths[i], (enum fft_shape)shape);
            fft_check_all(&c, 1, NULL);
            fft_case_free(&c);
        }
}
END_TEST

START_TEST(batches) {
    const uint64_t lengths[] = {2,   3,   4,   5,   9,    16,   30,   60,   64,   243,
                                512, 625, 768, 960, 1000, 1024, 2048, 3125, 4096, 6000};
    const uint64_t batches[] = {1, 2, 7, 33};
    open_backend(backends[_i]);
    for (size_t i = 0; i < sizeof lengths / sizeof *lengths; i++) {
        struct fft_case c = fft_case_make(lengths[i], FFT_RANDOM);
        for (size_t k = 0; k < sizeof batches / sizeof *batches; k++)
            fft_check_all(&c, batches[k], NULL);
        fft_case_free(&c);
    }
}
END_TEST

/* Many short ones. */
START_TEST(large_batches) {
    const uint64_t lengths[] = {2, 3, 8, 100, 256};
    open_backend(backends[_i]);
    for (size_t i = 0; i < sizeof lengths / sizeof *lengths; i++) {
        struct fft_case c = fft_case_make(lengths[i], FFT_RANDOM);
        fft_check_all(&c, 70001 / lengths[i] + testing_below(1000), NULL);
        fft_case_free(&c);
    }
}
END_TEST

/* ---- transforms followed by their inverse, and extreme magnitudes */

/* The longest length of these tests. */
enum { LONGEST = 20000 };

static uint64_t random_length(void) {
    uint64_t n = 2 + testing_below(testing_below(2) ? LONGEST : 300);
    while (!fft_reference_smooth(n))
        n--;
    return n;
}

static struct fft_array random_array(const struct fft_job *job) {
    struct fft_array from = fft_array_alloc(job->plan.precision, fft_job_from(job));
    for (uint64_t i = 0; i < from.count; i++)
        fft_array_set(&from, i, (long double)testing_below(1ul << 21) * 0x1p-20L - 1);
    return from;
}

static struct fft_job random_job(enum fft_precision precision, bool is_real) {
    struct fft_job job = {.direction = FFT_FORWARD, .batch = 1 + testing_below(4)};
    ck_assert(fft_plan_init(&job.plan, precision, is_real, random_length()));
    return job;
}

/* `back` is the result of transforming x forward and backward. Checks that `back` is x times the
 * transform's length, within the error bound. */
static void compare_round_trip(const struct fft_job *job, const struct fft_array *x,
                               const struct fft_array *back) {
    long double n = (long double)job->plan.n, error = 0, squares = 0;
    for (uint64_t i = 0; i < x->count; i++) {
        long double right = n * fft_array_get(x, i), d = fft_array_get(back, i) - right;
        error += d * d;
        squares += right * right;
    }
    long double bound = 2 * FFT_ERROR_RMS * fft_roundoff(job->plan.precision) * log2l(2 * n);
    ck_assert_msg(sqrtl(error) <= bound * sqrtl(squares), "n = %llu: %Lg, at most %Lg",
                  (unsigned long long)job->plan.n, sqrtl(error / squares), bound);
}

static void check_round_trip(struct fft_job job) {
    struct fft_array x = random_array(&job);
    struct fft_array y = fft_array_alloc(job.plan.precision, fft_job_to(&job));
    struct fft_array back = fft_array_alloc(job.plan.precision, fft_job_from(&job));
    if (fft_job_run(&job, &y, &x)) {
        job.direction = FFT_BACKWARD;
        ck_assert(fft_job_run(&job, &back, &y));
        compare_round_trip(&job, &x, &back);
    }
    fft_array_free(&x), fft_array_free(&y), fft_array_free(&back);
}

START_TEST(round_trips) {
    open_backend(backends[_i]);
    for (int i = 0; i < 40; i++)
        check_round_trip(random_job(i & 1 ? FFT_DOUBLE : FFT_FLOAT, i & 2));
}
END_TEST

/* Scales the values by a power of two. The transform must be scaled by exactly the same power. */
static void check_scaled(struct fft_job job, int log_scale) {
    long double scale = ldexpl(1, log_scale);
    struct fft_array x = random_array(&job);
    struct fft_array scaled = fft_array_alloc(job.plan.precision, fft_job_from(&job));
    struct fft_array y = fft_array_alloc(job.plan.precision, fft_job_to(&job));
    struct fft_array z = fft_array_alloc(job.plan.precision, fft_job_to(&job));
    for (uint64_t i = 0; i < x.count; i++)
        fft_array_set(&scaled, i, fft_array_get(&x, i) * scale);
    if (fft_job_run(&job, &y, &x) && fft_job_run(&job, &z, &scaled))
        for (uint64_t i = 0; i < y.count; i++)
            ck_assert_msg(fft_array_get(&z, i) == scale * fft_array_get(&y, i),
                          "n = %llu, 2^%d: value %llu", (unsigned long long)job.plan.n, log_scale,
                          (unsigned long long)i);
    fft_array_free(&x), fft_array_free(&scaled), fft_array_free(&y), fft_array_free(&z);
}

/* Tests values near both ends of the exponent range. They are chosen so that even the smallest
 * intermediate results are not denormal. */
START_TEST(extreme_magnitudes) {
    const int scales[2][2] = {{-50, 100}, {-850, 980}};
    open_backend(backends[_i]);
    for (int i = 0; i < 32; i++) {
        enum fft_precision precision = i & 1 ? FFT_DOUBLE : FFT_FLOAT;
        check_scaled(random_job(precision, i & 2), scales[precision][i / 4 % 2]);
    }
}
END_TEST

/* The transform of given values must have the same bits whether it is computed alone or at any
 * position in a batch. */
START_TEST(same_in_any_batch) {
    open_backend(backends[_i]);
    for (int i = 0; i < 24; i++) {
        struct fft_job one = random_job(i & 1 ? FFT_DOUBLE : FFT_FLOAT, i & 2), many = one;
        one.batch = 1, many.batch = 5;
        struct fft_array x = random_array(&one), all = random_array(&many);
        struct fft_array y = fft_array_alloc(one.plan.precision, fft_job_to(&one));
        struct fft_array z = fft_array_alloc(one.plan.precision, fft_job_to(&many));
        uint64_t place = testing_below(5);
        memcpy(all.bytes + place * fft_array_bytes(&x), x.bytes, fft_array_bytes(&x));
        if (fft_job_run(&one, &y, &x) && fft_job_run(&many, &z, &all))
            ck_assert_msg(
                memcmp(z.bytes + place * fft_array_bytes(&y), y.bytes, fft_array_bytes(&y)) == 0,
                "n = %llu, number %llu", (unsigned long long)one.plan.n, (unsigned long long)place);
        fft_array_free(&x), fft_array_free(&all), fft_array_free(&y), fft_array_free(&z);
    }
}
END_TEST

int main(void) {
    /* the kernels are the same for CPUs and GPUs (test_images checks this), so the tests run
     * once */
    has_one_form = true;
    return run_on_backends("fft",
                           TESTS(PER_DEVICE(each_length_to_1024, 1), PER_DEVICE(shapes_of_input, 1),
                                 PER_DEVICE(batches, 1), PER_DEVICE(large_batches, 1),
                                 PER_DEVICE(round_trips, 1), PER_DEVICE(extreme_magnitudes, 1),
                                 PER_DEVICE(same_in_any_batch, 1)),
                           NULL);
}
