/* SPDX-License-Identifier: LGPL-3.0-or-later
 * Transforms of real values by complex transforms. For an even length n = 2 h, let z[j] = x[2j] + i
 * x[2j + 1], and let Z be its transform. The transforms of the even and the odd values are E[k] =
 * (Z[k] + conj Z[h - k]) / 2 and O[k] = (Z[k] - conj Z[h - k]) / 2i. The transform of x is X[k] =
 * E[k] + w^k O[k], with w = exp(-2 pi i / n). For an odd length, real values are converted to
 * complex values.
 *
 * A work-item computes one value, or values k and h - k, of one transform. Transforms follow one
 * another in memory. */
#ifndef REAL_H
#define REAL_H

#include "kernels/fft/roots.h"
#include "kernels/fft/shape.h"

/* Defines `row`, the number of the transform that this work-item computes, and k, the number of the
 * value in the transform; each transform has `each` values. */
#define REAL_ITEM(each)                                                                            \
    u64 item = (u64)GROUP_X * REAL_THREADS + LOCAL_ID, row = item / (each);                        \
    u32 k = (u32)(item - row * (each))

#define NAMED(name) CAT(fft_, CAT(REAL, name))

/* Returns i a. */
FN cvalue complex_back(cvalue a) {
    return COMPLEX_OF(-a.y, a.x);
}

/* Convert between Z, the transform of h complex values, and X, the transform of the 2 h real values
 * that they contain. real_split returns X[k], given a = Z[k] and b = Z[h - k]. real_merge returns 2
 * Z[k], given a = X[k] and b = X[h - k]. */
FN cvalue real_split(cvalue a, cvalue b, cvalue w) {
    cvalue even = complex_add(a, complex_conjugate(b)), odd = complex_sub(a, complex_conjugate(b));
    cvalue x = complex_add(even, complex_mul(w, complex_turn(odd)));
    return COMPLEX_OF(x.x * (REAL)0.5, x.y * (REAL)0.5);
}

FN cvalue real_merge(cvalue a, cvalue b, cvalue w) {
    cvalue even = complex_add(a, complex_conjugate(b)), odd = complex_sub(a, complex_conjugate(b));
    return complex_add(even, complex_mul(complex_conjugate(w), complex_back(odd)));
}

/* Computes X from Z for each of `batch` transforms (real_split). Z has h values, X has the h + 1
 * values of a transform of 2 h real values. The tables have roots of unity of order 2 h. */
KERNEL(REAL_THREADS)
NAMED(_split)
(GLOBAL REAL *RESTRICT to, GLOBAL const REAL *RESTRICT from, GLOBAL const REAL *RESTRICT tables,
 u32 tables_at, u32 log_fine, u32 h, u64 batch) {
    REAL_ITEM(h / 2 + 1);
    struct roots w = roots_of(tables, tables_at, log_fine, 0);
    GLOBAL const cvalue *z = (GLOBAL const cvalue *)from + row * h;
    GLOBAL cvalue *x = (GLOBAL cvalue *)to + row * (h + 1);
    if (row >= batch)
        return;
    cvalue a = z[k], b = z[k == 0 ? 0 : h - k];
    x[k] = real_split(a, b, root(w, k));
    x[h - k] = real_split(b, a, root(w, h - k));
}

/* Computes 2 Z from X for each of `batch` transforms (real_merge). Z has h values, X has the h + 1
 * values of the transform of 2 h real values. */
KERNEL(REAL_THREADS)
NAMED(_merge)
(GLOBAL REAL *RESTRICT to, GLOBAL const REAL *RESTRICT from, GLOBAL const REAL *RESTRICT tables,
 u32 tables_at, u32 log_fine, u32 h, u64 batch) {
    REAL_ITEM(h / 2 + 1);
    struct roots w = roots_of(tables, tables_at, log_fine, 0);
    GLOBAL const cvalue *x = (GLOBAL const cvalue *)from + row * (h + 1);
    GLOBAL cvalue *z = (GLOBAL cvalue *)to + row * h;
    if (row >= batch)
        return;
    cvalue a = x[k], b = x[h - k];
    z[k] = real_merge(a, b, root(w, k));
    if (k > 0)
        z[h - k] = real_merge(b, a, root(w, h - k));
}

/* Converts n real values to n complex values. If `conjugates` is set, the input is the first n / 2
 * + 1 values of a transform of real values; the other values are conjugates of these. */
KERNEL(REAL_THREADS)
NAMED(_widen)
(GLOBAL REAL *RESTRICT to, GLOBAL const REAL *RESTRICT from, u32 n, u64 batch, u32 conjugates) {
    REAL_ITEM(n);
    u32 rest = n / 2 + 1;
    if (row >= batch)
        return;
    GLOBAL const cvalue *x = (GLOBAL const cvalue *)from + row * rest;
    cvalue a = conjugates ? x[k < rest ? k : n - k] : COMPLEX_OF(from[row * n + k], 0);
    ((GLOBAL cvalue *)to)[row * n + k] = k < rest || !conjugates ? a : complex_conjugate(a);
}

/* If `reals` is set, replaces n complex values by their real parts; otherwise copies the first n /
 * 2 + 1 of the n complex values. */
KERNEL(REAL_THREADS)
NAMED(_narrow)
(GLOBAL REAL *RESTRICT to, GLOBAL const REAL *RESTRICT from, u32 n, u64 batch, u32 reals) {
    u32 rest = reals ? n : n / 2 + 1;
    REAL_ITEM(rest);
    if (row >= batch)
        return;
    cvalue a = ((GLOBAL const cvalue *)from)[row * n + k];
    if (reals)
        to[row * n + k] = a.x;
    else
        ((GLOBAL cvalue *)to)[row * rest + k] = a;
}

#endif
