/* SPDX-License-Identifier: LGPL-3.0-or-later
 * Checks transforms: compares some values with sums in long double, and all values with another
 * library's. */
#include <math.h>

#include "tools/bench/bench_fft.h"

/* VALUES values of the last transform are checked, and (TRANSFORMS - 1) * VALUES others, each of a
 * random transform.  STEPS: after this many products, the root of unity is computed exactly again.
 */
enum { TRANSFORMS = 2, VALUES = 2, STEPS = 512 };

static const long double two_pi = 6.28318530717958647692528676655900577L;

static uint64_t next(uint64_t *seed) {
    *seed = *seed * 6364136223846793005u + 1442695040888963407u;
    return *seed >> 33;
}

/* Return the number of floats or doubles of one transform of the batch: width_from before, width_to
 * after the transform. */
static uint64_t width_from(const struct bench_fft *f) {
    return f->plan.is_real ? f->plan.n : 2 * f->plan.n;
}

static uint64_t width_to(const struct bench_fft *f) {
    return 2 * (f->plan.is_real ? f->plan.n / 2 + 1 : f->plan.n);
}

static size_t scalar(const struct bench_fft *f) {
    return fft_complex_bytes(&f->plan) / 2;
}

size_t bench_fft_from(const struct bench_fft *f) {
    return f->batch * width_from(f) * scalar(f);
}

size_t bench_fft_to(const struct bench_fft *f) {
    return f->batch * width_to(f) * scalar(f);
}

static double get(const struct bench_fft *f, const void *array, uint64_t i) {
    return f->plan.precision == FFT_DOUBLE ? ((const double *)array)[i]
                                           : (double)((const float *)array)[i];
}

void bench_fft_fill(struct bench_fft *f) {
    uint64_t count = f->batch * width_from(f), seed = count;
    for (uint64_t i = 0; i < count; i++) {
        double value = (double)next(&seed) * 0x1p-30 - 1;
        if (f->plan.precision == FFT_DOUBLE)
            ((double *)f->x)[i] = value;
        else
            ((float *)f->x)[i] = (float)value;
    }
}

/* Returns the root mean square of the values of a transform, for random values as input. */
static double scale(const struct bench_fft *f) {
    return sqrt((f->plan.is_real ? 1 : 2) * (double)f->plan.n / 3);
}

double bench_fft_most(const struct fft_plan *p) {
    return 10 * (p->precision == FFT_DOUBLE ? 0x1p-53 : 0x1p-24) * log2(2 * (double)p->n);
}

/* Computes value k of transform b as a sum in long double. */
static void sum_of(const struct bench_fft *f, uint64_t b, uint64_t k, long double sum[2]) {
    const uint64_t n = f->plan.n, first = b * width_from(f);
    long double turn = two_pi * (long double)k / (long double)n, c = 1, s = 0;
    const long double c1 = cosl(turn), s1 = -sinl(turn);
    sum[0] = sum[1] = 0;
    for (uint64_t j = 0; j < n; j++) {
        if (j % STEPS == 0) { /* the product k j is below 2^60, so it does not overflow 64 bits */
            long double angle = two_pi * (long double)(k * j % n) / (long double)n;
            c = cosl(angle), s = -sinl(angle);
        }
        long double re = get(f, f->x, f->plan.is_real ? first + j : first + 2 * j);
        long double im = f->plan.is_real ? 0 : (long double)get(f, f->x, first + 2 * j + 1);
        sum[0] += re * c - im * s;
        sum[1] += re * s + im * c;
        long double turned = c * c1 - s * s1;
        s = c * s1 + s * c1;
        c = turned;
    }
}

/* Returns the greater value; a NaN is greater than all numbers. */
static double greater(double d, double most) {
    return d <= most ? most : isnan(d) ? (double)INFINITY : d;
}

double bench_fft_error(const struct bench_fft *f) {
    double most = 0;
    uint64_t seed = f->plan.n;
    for (int i = 0; i < TRANSFORMS * VALUES; i++) {
        uint64_t b = i / VALUES == 0 ? f->batch - 1 : next(&seed) % f->batch;
        uint64_t k = next(&seed) % (width_to(f) / 2), at = b * width_to(f) + 2 * k;
        long double sum[2];
        sum_of(f, b, k, sum);
        most = greater(fabs((double)(sum[0] - (long double)get(f, f->y, at))), most);
        most = greater(fabs((double)(sum[1] - (long double)get(f, f->y, at + 1))), most);
    }
    return most / scale(f);
}

double bench_fft_difference(const struct bench_fft *f) {
    double most = 0;
    for (uint64_t i = 0; i < f->batch * width_to(f); i++)
        most = greater(fabs(get(f, f->y, i) - get(f, f->z, i)), most);
    return most / scale(f);
}
