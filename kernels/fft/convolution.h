/* SPDX-License-Identifier: LGPL-3.0-or-later
 * Multiplies polynomials of 2 n digits modulo x^(2 n) + 1, by transforms of n complex values. Let w
 * = exp(-2 pi i / 4n), so w^n = -i. Digits k and k + n become the value (d[k] - i d[k + n]) w^k.
 * The cyclic convolution of these values is the product of the polynomials (R. Crandall and B.
 * Fagin, "Discrete weighted transforms and large-integer arithmetic", Math. Comp. 62, 1994). Modulo
 * x^(2 n) - 1, digits 2 k and 2 k + 1 become a value, and pair_product (real.h) multiplies values.
 *
 * The first pass reads digits. One kernel computes the last forward pass, the product and the first
 * backward pass. The last backward pass writes coefficients. */
#ifndef CONVOLUTION_H
#define CONVOLUTION_H

#include "kernels/common/balanced_digits.h"
#include "kernels/fft/transform.h"

/* Multiplies each value by its weight, or divides by it if `back`. The transform has `all` values;
 * the weight of value k is w^k. a[x] is value number first + x all / VALUES. The tables have the
 * powers of w = exp(-2 pi i / 4n). */
FN void weigh(cvalue *a, struct roots w, u32 first, u32 all, u32 back) {
    cvalue powers[5], b = root(w, first);
    UNROLL
    for (int i = 0; 1 << i < VALUES; i++)
        powers[i] = root(w, (all / VALUES) << i);
    EACH(x) {
        cvalue f = twiddle(b, powers, x);
        a[x] = complex_mul(a[x], back ? complex_conjugate(f) : f);
    }
}

/* Returns the digit `at` of {x, words}, multiplied by its weight. */
FN REAL weighted_digit(GLOBAL const u32 *x, u64 words, struct digits d, struct digit at) {
    return (REAL)digit_value(x, words, at) * digit_weight(d, at);
}

/* Converts {x + x_at, words} to weighted digits (kernels/common/balanced_digits.h), computes the
 * first pass of their transform, and writes it to `to`. The transform has 2 n digits. If x has one
 * more digit, 0 or 1, it wraps around: it is added to digit 0, or subtracted if `plus` is set
 * (modulo x^(2 n) + 1). */
KERNEL_DENSE(THREADS, DENSITY)
fft_digits(GLOBAL REAL *RESTRICT to, GLOBAL const u32 *RESTRICT x, u64 x_at, u64 words, u32 bits,
           u32 rest, u32 plus, GLOBAL const REAL *RESTRICT tables, u32 tables_at, u32 log_fine,
           u32 roots_at, u32 stride) {
    LOCAL_ARRAY(cvalue, share, SHARE);
    cvalue a[VALUES];
    struct pass p = pass_of(stride, stride, 1, 0);
    struct roots w = roots_of(tables, tables_at, log_fine, roots_at);
    struct place at = place_of(0);
    const u32 n = stride * R, first = GROUP_X * COLUMNS + at.column + at.t * stride;
    x += x_at;
    const struct digits d = digits_make(bits, rest, 2 * (u64)n);
    const REAL beyond = first == 0 ? digit_value(x, words, digit_of(d, d.length)) : 0;
    if (plus) {
        EACH(i) {
            u64 k = first + (u64)i * GAP * stride;
            a[i] = COMPLEX_OF(weighted_digit(x, words, d, digit_of(d, k)),
                              -weighted_digit(x, words, d, digit_of(d, k + n)));
        }
        a[0].x -= beyond;
        weigh(a, w, first, n, 0);
    } else {
        EACH(i) {
            struct digit k = digit_of(d, 2 * (first + (u64)i * GAP * stride));
            a[i].x = weighted_digit(x, words, d, k);
            a[i].y = weighted_digit(x, words, d, digit_next(d, k));
        }
        a[0].x += beyond;
    }
    pass_dft(a, w, &at, 1, share);
    pass_store(to, a, p, at, 0);
}

/* Define kernels for the middle of a product: the last forward pass, the product by `other` or the
 * square, and the first backward pass. There are n / R = `stride` columns. */
#define POINTWISE(name, parameter, product)                                                        \
    KERNEL_DENSE(THREADS, DENSITY)                                                                 \
    name(GLOBAL REAL *RESTRICT to, GLOBAL const REAL *RESTRICT from,                               \
         parameter GLOBAL const REAL *RESTRICT tables, u32 tables_at, u32 log_fine, u32 roots_at,  \
         u32 stride, u32 scale) {                                                                  \
        LOCAL_ARRAY(cvalue, share, SHARE);                                                         \
        cvalue a[VALUES];                                                                          \
        struct pass p = pass_of(stride, stride, stride, scale);                                    \
        struct roots w = roots_of(tables, tables_at, log_fine, roots_at);                          \
        struct place at = place_of(0);                                                             \
        pass_load(a, from, p, at, 0);                                                              \
        pass_twiddle(a, w, p, at);                                                                 \
        pass_dft(a, w, &at, 0, share);                                                             \
        product;                                                                                   \
        EACH(x) a[x] = complex_swap(a[x]);                                                         \
        p.done = 1;                                                                                \
        pass_dft(a, w, &at, 1, share);                                                             \
        pass_store(to, a, p, at, 0);                                                               \
    }

FN void times_other(cvalue *a, GLOBAL const REAL *other, struct pass p, struct place at) {
    GLOBAL const cvalue *y = (GLOBAL const cvalue *)other;
    struct column c = column_of(p, at.column);
    y += c.in + (u64)at.t * p.stride;
    EACH(i) if (c.exists) a[i] = complex_mul(a[i], y[(u64)(i * GAP) * p.stride]);
}

#define NOTHING
#define OTHER GLOBAL const REAL *RESTRICT other,
POINTWISE(fft_square, NOTHING, EACH(x) a[x] = complex_mul(a[x], a[x]))
POINTWISE(fft_multiply, OTHER, times_other(a, other, p, at))

/* Computes the last backward pass, and writes the 2 n coefficients of the product. They still
 * contain the weights of digits. */
KERNEL_DENSE(THREADS, DENSITY)
fft_coefficients(GLOBAL REAL *RESTRICT coefficients, GLOBAL const REAL *RESTRICT from,
                 GLOBAL const REAL *RESTRICT tables, u32 tables_at, u32 log_fine, u32 roots_at,
                 u32 stride, u32 scale) {
    LOCAL_ARRAY(cvalue, share, SHARE);
    cvalue a[VALUES];
    struct pass p = pass_of(stride, stride, stride, scale);
    struct roots w = roots_of(tables, tables_at, log_fine, roots_at);
    struct place at = place_of(0);
    const u32 n = stride * R;
    pass_load(a, from, p, at, 0);
    pass_twiddle(a, w, p, at);
    pass_dft(a, w, &at, 0, share);
    EACH(x) a[x] = complex_swap(a[x]);
    const struct column c = column_of(p, at.column);
    const u32 first = c.k + at.t * stride;
    const REAL factor = (REAL)1 / (REAL)n;
    weigh(a, w, first, n, 1);
    if (c.exists)
        EACH(i) {
            u32 k = first + i * GAP * stride;
            coefficients[k] = a[i].x * factor;
            coefficients[(u64)k + n] = -a[i].y * factor;
        }
}

#endif
