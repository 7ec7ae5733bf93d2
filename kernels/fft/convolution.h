/* SPDX-License-Identifier: LGPL-3.0-or-later
 * Multiplies polynomials of 2 n digits modulo x^(2 n) + 1, by transforms of n complex values. Let w
 * = exp(-2 pi i / 4n), so w^n = -i. Digits k and k + n become the value (d[k] - i d[k + n]) w^k.
 * The cyclic convolution of these values is the product of the polynomials (R. Crandall and B.
 * Fagin, "Discrete weighted transforms and large-integer arithmetic", Math. Comp. 62, 1994). Modulo
 * x^(2 n) - 1, digits 2 k and 2 k + 1 become a value, and pair_product multiplies values.
 *
 * The first pass reads digits. One kernel computes the last forward pass, the product and the first
 * backward pass. The last backward pass writes coefficients. */
#ifndef CONVOLUTION_H
#define CONVOLUTION_H

#include "kernels/common/balanced_digits.h"
#include "kernels/fft/transform.h"

/* Multiplies values of a transform by their weights, or divides them if `back`. The weight of
 * value k is w^k, where w = exp(-2 pi i / 4n); the tables have the powers of w. The transform has
 * `all` values. a[x] is the value with number first + x all / VALUES. */
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

/* A digit's place and weight. */
struct weighted {
    struct digit at;
    REAL weight;
};

FN struct weighted weighted_of(struct digits d, u64 k) {
    struct weighted w;
    w.at = digit_of(d, k);
    w.weight = digit_weight(d, w.at);
    return w;
}

/* Does the same as digit_after, and computes the weight. */
FN struct weighted weighted_after(struct digits d, struct weighted from, struct weighted by) {
    struct weighted w;
    w.at = digit_after(d, from.at, by.at);
    w.weight = by.weight * (w.at.excess < from.at.excess ? (REAL)0.5 * from.weight : from.weight);
    return w;
}

/* Returns the weighted digit w of {x, words}. */
FN REAL weighted_digit(GLOBAL const u32 *x, u64 words, struct weighted w) {
    return (REAL)digit_value(x, words, w.at) * w.weight;
}

/* Returns the weighted digit w of {x, words} and the next one. `next` is the weight of digit 1. */
FN cvalue weighted_pair(GLOBAL const u32 *x, u64 words, struct digits d, struct weighted w,
                        REAL next) {
    const u64 bit = w.at.begin + 31, i = bit / 32; /* as in digit_value */
    const u32 low = i - 1 < words ? x[i - 1] : 0u, middle = i < words ? x[i] : 0u,
              high = i + 1 < words ? x[i + 1] : 0u;
    const u64 bits = ((u64)middle << 32 | low) >> (bit % 32) | (u64)high << 1 << (63 - bit % 32);
    const s32 a = digit_from_word((u32)bits, w.at.width),
              b = digit_from_word((u32)(bits >> w.at.width), digit_next(d, w.at).width);
    /* if digits have two lengths, the digit behind a short one has a smaller excess
     * (digit_after) */
    const REAL factor = d.rest && w.at.width == d.bits ? (REAL)0.5 * next : next;
    return COMPLEX_OF((REAL)a * w.weight, (REAL)b * (w.weight * factor));
}

/* Define kernels that cut {x + x_at, words} into weighted digits
 * (kernels/common/balanced_digits.h), compute the first pass of their transform, and write it to
 * `to`.
 *
 * - The transform has 2 n digits in n complex values. Value k consists of digits k and k + n. With
 *   is_pairs, which is for products modulo x^(2 n) - 1, value k consists of digits 2 k and 2 k + 1.
 * - x may have one digit more, which is at most 4 and wraps around: it is added to digit 0, or
 *   subtracted from digit 0 modulo x^(2 n) + 1. */
#define DIGITS(name, is_pairs)                                                                     \
    KERNEL_DENSE(THREADS, DIGITS_DENSITY)                                                          \
    name(GLOBAL REAL *RESTRICT to, GLOBAL const u32 *RESTRICT x, u64 x_at, u64 words, u32 bits,    \
         u32 rest, GLOBAL const REAL *RESTRICT tables, u32 tables_at, u32 log_fine, u32 roots_at,  \
         u32 stride) {                                                                             \
        LOCAL_ARRAY(cvalue, share, SHARE);                                                         \
        LOCAL_ARRAY(struct weighted, step, VALUES + 1);                                            \
        cvalue a[VALUES];                                                                          \
        struct pass p = pass_of(stride, stride, 1, 0);                                             \
        struct roots w = roots_of(tables, tables_at, log_fine, roots_at);                          \
        struct place at = place_of(0);                                                             \
        const u32 n = stride * R, first = GROUP_X * COLUMNS + at.column + at.t * stride;           \
        x += x_at;                                                                                 \
        const struct digits d = digits_make(bits, rest, 2 * (u64)n);                               \
        const u64 each = (is_pairs) ? 2 : 1, second = (is_pairs) ? 1 : n;                          \
        if (LOCAL_ID <= VALUES)                                                                    \
            step[LOCAL_ID] =                                                                       \
                weighted_of(d, LOCAL_ID < VALUES ? each * LOCAL_ID * GAP * stride : second);       \
        BARRIER();                                                                                 \
        const struct weighted begin = weighted_of(d, each * first);                                \
        const REAL beyond = first == 0 ? digit_value(x, words, digit_of(d, d.length)) : 0;         \
        EACH(i) {                                                                                  \
            const struct weighted k = weighted_after(d, begin, step[i]);                           \
            if (is_pairs) {                                                                        \
                a[i] = weighted_pair(x, words, d, k, step[VALUES].weight);                         \
            } else {                                                                               \
                a[i].x = weighted_digit(x, words, k);                                              \
                a[i].y = -weighted_digit(x, words, weighted_after(d, k, step[VALUES]));            \
            }                                                                                      \
        }                                                                                          \
        a[0].x += (is_pairs) ? beyond : -beyond;                                                   \
        if (!(is_pairs))                                                                           \
            weigh(a, w, first, n, 0);                                                              \
        pass_dft(a, w, &at, 1, share);                                                             \
        pass_store(to, a, p, at, 0);                                                               \
    }

DIGITS(fft_digits, 0)
DIGITS(fft_digits_pairs, 1)

FN void times_other(cvalue *a, GLOBAL const REAL *other, struct pass p, struct place at) {
    GLOBAL const cvalue *y = (GLOBAL const cvalue *)other;
    struct column c = column_of(p, at.column);
    y += c.in + (u64)at.t * p.stride;
    EACH(i) if (c.exists) a[i] = complex_mul(a[i], y[(u64)(i * GAP) * p.stride]);
}

/* Returns 4 times value k of the transform of a product of real values. Let n be the transform's
 * length:
 * - a, b: values k and n - k of one factor's transform
 * - c, d: values k and n - k of the other factor's transform
 * - w: exp(-2 pi i k / n)
 *
 * Let E and O be value k of the transforms of one factor's even-numbered and odd-numbered values
 * (real.h), and E', O' those of the other factor. The result is 4 (E E' + w O O' + i (E O' + O
 * E')). */
FN cvalue pair_product(cvalue a, cvalue b, cvalue c, cvalue d, cvalue w) {
    cvalue even = complex_add(a, complex_conjugate(b)), odd = complex_sub(a, complex_conjugate(b));
    cvalue e = complex_add(c, complex_conjugate(d)), o = complex_sub(c, complex_conjugate(d));
    cvalue mixed = complex_add(complex_mul(even, o), complex_mul(odd, e));
    cvalue square = complex_mul(w, complex_mul(odd, o));
    return complex_add(complex_sub(complex_mul(even, e), square), mixed);
}

/* Returns value (n - k) mod n of a transform, from the group's local memory. Value k is in row r of
 * column c, the q-th column of the group. The group also has the mirror image of each of its
 * columns (pass.h). */
FN cvalue image(LOCAL const cvalue *share, struct pass p, struct column c, u32 q, u32 r) {
    const u32 count = COLUMNS / 2, row = c.k > 0 ? R - 1 - r : r > 0 ? R - r : 0;
    const u32 column = c.k == 0 || c.k == p.stride / 2 ? q : q < count ? q + count : q - count;
    return share[PADDED(row * COLUMNS + column)];
}

/* Multiplies the transform of 2 n real values by the transform `other`, or squares it if `other` is
 * 0. Both were computed as transforms of n complex values, each of which is a pair of real values.
 * Divides the product by n, since no later pass does. The group must have the mirror image of each
 * of its columns (pass.h). */
FN void times_pairs(cvalue *a, GLOBAL const REAL *other, struct roots w, struct pass p,
                    struct place at, LOCAL cvalue *share) {
    GLOBAL const cvalue *y = (GLOBAL const cvalue *)other;
    const struct column c = column_of(p, at.column);
    const u32 n = p.stride * R, first = c.k + at.t * p.stride;
    const REAL factor = (REAL)0.25 / (REAL)n;
    cvalue powers[5], b = root(w, 4 * first);
    UNROLL
    for (int i = 0; 1 << i < VALUES; i++)
        powers[i] = root(w, 4 * (n / VALUES) << i);
    BARRIER();
    EACH(x) share[PADDED((at.t + x * GAP) * COLUMNS + at.column)] = a[x];
    BARRIER();
    EACH(x) {
        const u32 k = first + x * (n / VALUES);
        const cvalue other_end = image(share, p, c, at.column, at.t + x * GAP);
        const cvalue u = other && c.exists ? y[k] : a[x];
        const cvalue v = other && c.exists ? y[k > 0 ? n - k : 0] : other_end;
        const cvalue product = pair_product(a[x], other_end, u, v, twiddle(b, powers, x));
        a[x] = COMPLEX_OF(product.x * factor, product.y * factor);
    }
}

/* Define kernels for the middle of a product: the last forward pass, the product by `other` or the
 * square, and the first backward pass. There are n / R = `stride` columns. */
#define MIDDLE(name, is_mirrored, parameter, product)                                              \
    KERNEL_DENSE(THREADS, DENSITY)                                                                 \
    name(GLOBAL REAL *RESTRICT to, GLOBAL const REAL *RESTRICT from,                               \
         parameter GLOBAL const REAL *RESTRICT tables, u32 tables_at, u32 log_fine, u32 roots_at,  \
         u32 stride, u32 scale) {                                                                  \
        LOCAL_ARRAY(cvalue, share, SHARE);                                                         \
        cvalue a[VALUES];                                                                          \
        struct pass p = pass_of(stride, stride, stride, scale);                                    \
        struct roots w = roots_of(tables, tables_at, log_fine, roots_at);                          \
        struct place at = place_of(0);                                                             \
        p.mirrored = is_mirrored;                                                                  \
        pass_load(a, from, p, at, 0);                                                              \
        pass_twiddle(a, w, p, at);                                                                 \
        pass_dft(a, w, &at, 0, share);                                                             \
        product;                                                                                   \
        EACH(x) a[x] = complex_swap(a[x]);                                                         \
        p.done = 1;                                                                                \
        pass_dft(a, w, &at, 1, share);                                                             \
        pass_store(to, a, p, at, 0);                                                               \
    }

#define NOTHING
#define OTHER GLOBAL const REAL *RESTRICT other,
MIDDLE(fft_square, 0, NOTHING, EACH(x) a[x] = complex_mul(a[x], a[x]))
MIDDLE(fft_multiply, 0, OTHER, times_other(a, other, p, at))
MIDDLE(fft_square_pairs, 1, NOTHING, times_pairs(a, 0, w, p, at, share))
MIDDLE(fft_multiply_pairs, 1, OTHER, times_pairs(a, other, w, p, at, share))

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
