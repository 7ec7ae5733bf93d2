/* SPDX-License-Identifier: LGPL-3.0-or-later
 * Test cases for Fourier transforms: values, and their transforms computed on the host in long
 * double (fft_reference.h). */
#include "tests/support/testing.h"

#include <math.h>

#include "tests/unit/fft/fft_check.h"

static const long double grid = 0x1p-20L;

/* Returns a random multiple of 2^-20 in [-1, 1). */
static long double random_value(void) {
    return ((long double)testing_below(1ul << 21) - (1l << 20)) * grid;
}

static long double mixed_value(void) {
    long double x = grid * (long double)(1ul << testing_below(21));
    return testing_below(2) ? x : -x;
}

static struct wide value(enum fft_shape shape, uint64_t j, uint64_t at, uint64_t n) {
    long double angle = 2 * acosl(-1) * (long double)(j * at % n) / (long double)n;
    switch (shape) {
    case FFT_CONSTANT:
        return (struct wide){1, -1};
    case FFT_IMPULSE:
        return (struct wide){j == at, 0};
    case FFT_TONE:
        return (struct wide){roundl(cosl(angle) / grid) * grid, roundl(sinl(angle) / grid) * grid};
    case FFT_ALTERNATING:
        return (struct wide){j & 1 ? -1 : 1, j & 2 ? -1 : 1};
    case FFT_MIXED:
        return (struct wide){mixed_value(), mixed_value()};
    case FFT_RANDOM:
        return (struct wide){random_value(), random_value()};
    default:
        return (struct wide){0, 0};
    }
}

struct fft_case fft_case_make(uint64_t n, enum fft_shape shape) {
    struct fft_case c = {n, wide_alloc(n), wide_alloc(n), shape == FFT_RANDOM};
    struct wide *roots = wide_alloc(n);
    const uint64_t at = testing_below(n);
    for (uint64_t j = 0; j < n; j++)
        c.x[j] = value(shape, j, at, n);
    fft_reference_roots(roots, n);
    if (n <= FFT_DIRECT_MOST)
        fft_reference_direct(c.y, c.x, roots, n);
    else
        fft_reference_fast(c.y, c.x, roots, n);
    free(roots);
    return c;
}

void fft_case_free(struct fft_case *c) {
    free(c->x);
    free(c->y);
}
