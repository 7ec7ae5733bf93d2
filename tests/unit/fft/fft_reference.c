/* SPDX-License-Identifier: LGPL-3.0-or-later
 * Fourier transforms in long double on the host, with which other transforms are compared. */
#include "tests/unit/fft/fft_reference.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

enum { LARGEST_FACTOR = 5 };

static const long double pi = 3.14159265358979323846264338327950288L;

struct wide *wide_alloc(uint64_t n) {
    struct wide *x = malloc((n ? n : 1) * sizeof *x);
    if (!x) {
        fprintf(stderr, "no memory for %llu values\n", (unsigned long long)n);
        abort();
    }
    return x;
}

/* Returns exp(-2 pi i j / n). For accuracy, computes the sine and cosine only of the angle's
 * distance from the nearest quarter turn. */
static struct wide root(uint64_t j, uint64_t n) {
    uint64_t quarter = (8 * j + n) / (2 * n); /* 4 j / n, rounded */
    long double angle =
        2 * pi * ((long double)(4 * j) - (long double)(quarter * n)) / (4 * (long double)n);
    long double c = cosl(angle), s = sinl(angle);
    switch (quarter % 4) {
    case 0:
        return (struct wide){c, -s};
    case 1:
        return (struct wide){-s, -c};
    case 2:
        return (struct wide){-c, s};
    default:
        return (struct wide){s, c};
    }
}

void fft_reference_roots(struct wide *roots, uint64_t n) {
    for (uint64_t j = 0; j < n; j++)
        roots[j] = root(j, n);
}

void fft_reference_direct(struct wide *y, const struct wide *x, const struct wide *roots,
                          uint64_t n) {
    for (uint64_t k = 0; k < n; k++) {
        struct wide sum = {0, 0};
        for (uint64_t j = 0, at = 0; j < n; j++) {
            sum = wide_add(sum, wide_mul(x[j], roots[at]));
            at = at + k < n ? at + k : at + k - n;
        }
        y[k] = sum;
    }
}

static uint64_t factor_of(uint64_t n) {
    for (uint64_t r = 2; r <= LARGEST_FACTOR; r++)
        if (n % r == 0)
            return r;
    return n;
}

/* Combines r transforms of length m into one of length r m: for each k, multiplies y[k], y[k + m],
 * ... by their roots and transforms these r values. */
static void combine(struct wide *y, const struct wide *roots, uint64_t r, uint64_t m,
                    uint64_t stride) {
    for (uint64_t k = 0; k < m; k++) {
        struct wide turned[LARGEST_FACTOR];
        for (uint64_t q = 0; q < r; q++)
            turned[q] = wide_mul(y[q * m + k], roots[q * k * stride]);
        for (uint64_t p = 0; p < r; p++) {
            struct wide sum = turned[0];
            for (uint64_t q = 1; q < r; q++)
                sum = wide_add(sum, wide_mul(turned[q], roots[p * q % r * m * stride]));
            y[k + p * m] = sum;
        }
    }
}

/* Transforms the n values x[0], x[stride], x[2 stride], ... `roots` are the roots of unity of order
 * n * stride. */
static void transform(struct wide *y, const struct wide *x, const struct wide *roots, uint64_t n,
                      uint64_t stride) {
    if (n == 1) {
        y[0] = x[0];
        return;
    }
    uint64_t r = factor_of(n), m = n / r;
    for (uint64_t q = 0; q < r; q++)
        transform(y + q * m, x + q * stride, roots, m, r * stride);
    combine(y, roots, r, m, stride);
}

void fft_reference_fast(struct wide *y, const struct wide *x, const struct wide *roots,
                        uint64_t n) {
    transform(y, x, roots, n, 1);
}

int fft_reference_smooth(uint64_t n) {
    for (uint64_t r = 2; n > 0 && r <= LARGEST_FACTOR; r++)
        while (n % r == 0)
            n /= r;
    return n == 1;
}
