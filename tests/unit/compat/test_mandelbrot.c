/* SPDX-License-Identifier: LGPL-3.0-or-later
 * Tests views of the Mandelbrot set (include/mpgpu.h). The device's results must equal the host's
 * to the last bit, for each number format. Also tests points with known results, and invalid
 * views. */
#include <fenv.h>
#include <math.h>
#include <string.h>

#include "include/mpgpu.h"
#include "tests/support/backends.h"

enum { WIDTH = 33, ROWS = 17, POINTS = WIDTH * ROWS, ITERATIONS = 500 };

struct samples {
    uint32_t iterations[POINTS], norms[POINTS];
};

static const unsigned kinds[] = {0, 4, 6, 8};
enum { KINDS = sizeof kinds / sizeof *kinds };

/* Converts d, a multiple of 2^-30 from -4 to 4, to a fixed-point number of `words` words of 32
 * bits; to a double if `words` is 0. */
static mpgpu_mandelbrot_number number(unsigned words, double d) {
    mpgpu_mandelbrot_number x = {{0}};
    if (words == 0) {
        x.real = d;
    } else {
        x.fixed[words - 1] = (uint32_t)(int32_t)floor(d);
        x.fixed[words - 2] = (uint32_t)ldexp(d - floor(d), 32);
    }
    return x;
}

/* Returns a view of most of the set. Its first point is -2.25 + i, and neighbouring points are 3/32
 * apart. */
static mpgpu_mandelbrot_view whole(unsigned words) {
    return (mpgpu_mandelbrot_view){.words = words,
                                   .left = number(words, -2.25),
                                   .top = number(words, 1),
                                   .step = number(words, 0.09375),
                                   .width = WIDTH,
                                   .rows = ROWS,
                                   .iterations = ITERATIONS};
}

static struct samples by_host(const mpgpu_mandelbrot_view *v) {
    struct samples s;
    memset(&s, 0xff, sizeof s);
    ck_assert_int_eq(mpgpu_mandelbrot_host(v, s.iterations, s.norms), 0);
    return s;
}

static uint32_t least(double d) {
    return (uint32_t)(d * (1 << MPGPU_MANDELBROT_NORM_BITS));
}

/* Tests the points c = -2, -1, 0 and 1. The first three never escape; at c = 1 the orbit 1, 2,
 * 5, 26, 677 escapes at the fifth iteration. */
START_TEST(known_points) {
    unsigned words = kinds[_i];
    mpgpu_mandelbrot_view v = whole(words);
    v.left = number(words, -2), v.top = number(words, 0), v.step = number(words, 1);
    v.width = 4, v.rows = 1, v.iterations = 100;
    struct samples s = by_host(&v);
    const uint32_t iterations[] = {100, 100, 100, 5}, norms[] = {0, 0, 0, least(677. * 677)};
    ck_assert(memcmp(s.iterations, iterations, sizeof iterations) == 0);
    ck_assert(memcmp(s.norms, norms, sizeof norms) == 0);
    /* with a limit of 5 iterations the fifth value is computed, but it is not tested for escape */
    v.iterations = 5;
    s = by_host(&v);
    ck_assert(s.iterations[3] == 5 && s.norms[3] == 0);
}
END_TEST

/* Row 7 computed alone must equal row 7 of the whole view. */
START_TEST(some_rows) {
    mpgpu_mandelbrot_view v = whole(kinds[_i]);
    struct samples all = by_host(&v), row;
    v.first_row = 7, v.rows = 1;
    row = by_host(&v);
    ck_assert(memcmp(row.iterations, all.iterations + 7 * WIDTH, WIDTH * 4) == 0);
    ck_assert(memcmp(row.norms, all.norms + 7 * WIDTH, WIDTH * 4) == 0);
}
END_TEST

START_TEST(rounding_of_the_program) {
    mpgpu_mandelbrot_view v = whole(0);
    v.step.real = 0.1;
    struct samples right = by_host(&v);
    fesetround(FE_UPWARD);
    struct samples got = by_host(&v);
    ck_assert_int_eq(fegetround(), FE_UPWARD);
    fesetround(FE_TONEAREST);
    ck_assert(memcmp(&got, &right, sizeof got) == 0);
}
END_TEST

START_TEST(on_device) {
    use_backend(backends[_i], VERIFY_DEVICE);
    for (int i = 0; i < KINDS; i++) {
        mpgpu_mandelbrot_view v = whole(kinds[i]);
        struct samples right = by_host(&v), got;
        unsigned long sent = mpgpu_sent();
        memset(&got, 0xff, sizeof got);
        ck_assert_int_eq(mpgpu_mandelbrot_device(&v, got.iterations, got.norms), 0);
        ck_assert(memcmp(&got, &right, sizeof got) == 0);
        ck_assert_uint_eq(mpgpu_sent(), sent + 1);
    }
    char text[512];
    ck_assert_ptr_eq(mpgpu_device(text, sizeof text), text);
    ck_assert(strncmp(text, backends[_i].name, strlen(backends[_i].name)) == 0);
}
END_TEST

START_TEST(without_device) {
    char text[16];
    struct samples s;
    mpgpu_mandelbrot_view v = whole(4);
    use_backend((struct test_backend){"none", 0}, VERIFY_DEVICE);
    ck_assert_int_eq(mpgpu_mandelbrot_device(&v, s.iterations, s.norms), MPGPU_NO_DEVICE);
    ck_assert_str_ne(mpgpu_error(), "");
    ck_assert_str_eq(mpgpu_device(text, sizeof text), "backend:none");
    ck_assert_str_eq(mpgpu_device(text, 5), "back");
    ck_assert_ptr_null(mpgpu_device(text, 0));
}
END_TEST

static void refused(const mpgpu_mandelbrot_view *v) {
    struct samples s;
    ck_assert_int_eq(mpgpu_mandelbrot_host(v, s.iterations, s.norms), MPGPU_ARGUMENTS);
    ck_assert_int_eq(mpgpu_mandelbrot_device(v, s.iterations, s.norms), MPGPU_ARGUMENTS);
}

START_TEST(bad_views) {
    static const unsigned bad[] = {1, 2, 3, 5, 7, 9, 10, 16, UINT_MAX};
    mpgpu_mandelbrot_view v = whole(4);
    use_backend((struct test_backend){"none", 0}, VERIFY_DEVICE);
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
        v.words = bad[i];
        refused(&v);
    }
    v = whole(4);
    v.width = MPGPU_MANDELBROT_POINTS, v.rows = 2;
    refused(&v);
    v.width = v.rows = UINT32_MAX;
    refused(&v);
    v.rows = 0; /* a view without points: nothing may be written */
    struct samples s = by_host(&v);
    ck_assert_int_eq(mpgpu_mandelbrot_device(&v, s.iterations, s.norms), 0); /* without a device */
    ck_assert_uint_eq(s.iterations[0], UINT32_MAX);
}
END_TEST

int main(void) {
    char conf[96];
    snprintf(conf, sizeof conf, "open:wait,watchdog:600,mul:never,sqr:never,add:never,log:%lu",
             testing_option("MPGPU_TEST_LOG", 1) % 10);
    setenv("MPGPU_CONF", conf, 1);
    return run_on_backends("mandelbrot",
                           TESTS(PER_DEVICE(on_device, 1), LOOP(known_points, KINDS),
                                 LOOP(some_rows, KINDS), ONCE(rounding_of_the_program),
                                 ONCE(without_device), ONCE(bad_views)),
                           NULL);
}
