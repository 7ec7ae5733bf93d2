/* SPDX-License-Identifier: LGPL-3.0-or-later
 * A pass of a transform of n = R S values (Stockham's method: T. Cochran et al., "What is the
 * fast Fourier transform?", Proc. IEEE 55, 1967). The pass computes S transforms of length R, one
 * for each column. Column j consists of the R values at j, j + S, j + 2 S, ...
 *
 * Earlier passes have computed transforms of `done` values. So the pass first multiplies value r
 * of column j by the twiddle factor exp(-2 pi i k r / (done R)), where k = j mod done. It stores
 * result r of the column at (j - k) R + k + r done. So all results are in order after the last
 * pass.
 *
 * A work-group computes COLUMNS adjacent columns, so that it reads COLUMNS adjacent values at once.
 * If done > 1, it also writes up to COLUMNS adjacent values at once. If done = 1, all its results
 * are adjacent.
 *
 * Each work-item holds VALUES values of a column in registers, R / VALUES apart. The transform of
 * R values has one to three steps, of radices STEP_1, STEP_2 and STEP_3. Between steps, work-items
 * exchange values through local memory, and then have values in the same pattern. */
#ifndef PASS_H
#define PASS_H

#include "kernels/fft/roots.h"
#include "kernels/fft/shape.h"

/* The distance in a column between two values of a work-item; also the number of work-items in a
 * column. */
#define GAP (R / VALUES)

/* Skips each 17th place, so that strides of powers of two use different banks. */
#define PADDED(i) ((i) + ((i) >> 4))
#define SHARE PADDED(POINTS)

#define EACH(x) UNROLL for (int x = 0; x < VALUES; x++)

/* The values of a group form columns. column: which of them a work-item processes; t: the index of
 * the work-item among those of this column. Adjacent work-items have adjacent columns or, if
 * `rows`, adjacent t. */
struct place {
    u32 column, t;
};

FN struct place place_of(u32 rows) {
    struct place at;
    at.column = rows ? LOCAL_ID / GAP : LOCAL_ID % COLUMNS;
    at.t = rows ? LOCAL_ID % GAP : LOCAL_ID / COLUMNS;
    return at;
}

/* The parameters of a pass. */
struct pass {
    u32 columns; /* number of columns in all transforms of the launch */
    u32 stride;  /* S */
    u32 done;
    u32 scale; /* the order of the root of unity in the tables, divided by (done R) */
    /* 1: a group computes COLUMNS / 2 columns j, then their mirror images, the columns S - j, in
     * the order of the columns j. Columns 0 and S / 2 are their own images. In group 0, column S /
     * 2 takes the place that the image of column 0 would have. */
    u32 mirrored;
};

/* A column: where its values begin in the input and in the output, and the factor k in the
 * exponents of its twiddle factors. */
struct column {
    u64 in, out;
    u32 k, exists;
};

/* Returns column c of a group. */
FN struct column column_of(struct pass p, u32 c) {
    u32 all = GROUP_X * COLUMNS + c;
    if (p.mirrored) {
        const u32 count = COLUMNS / 2, is_image = c >= count;
        all = GROUP_X * count + (is_image ? c - count : c);
        all = all >= p.stride / 2 ? p.columns
              : !is_image         ? all
              : all > 0           ? p.stride - all
                                  : p.stride / 2;
    }
    u32 batch = all / p.stride, j = all - batch * p.stride;
    struct column at;
    at.k = j % p.done;
    at.in = (u64)batch * p.stride * R + j;
    at.out = (u64)batch * p.stride * R + (u64)(j - at.k) * R + at.k;
    at.exists = all < p.columns;
    return at;
}

/* Returns b s^x for x < VALUES, where `powers` has s, s^2, s^4, ... For each x, at most four powers
 * are multiplied. */
FN cvalue twiddle(cvalue b, const cvalue *powers, int x) {
    UNROLL
    for (int i = 0; 1 << i < VALUES; i++)
        if (x >> i & 1)
            b = complex_mul(b, powers[i]);
    return b;
}

/* Multiplies value x by root^((t + x GAP) e), for each x. root is the root of unity whose powers
 * are in the tables w. */
FN void twiddle_all(cvalue *a, struct roots w, u32 t, u32 e) {
    cvalue powers[5], b = root(w, t * e);
    UNROLL
    for (int i = 0; 1 << i < VALUES; i++)
        powers[i] = root(w, (e * GAP) << i);
    EACH(x) a[x] = complex_mul(a[x], twiddle(b, powers, x));
}

/* One step of a transform, after the exchange of values between work-items. Earlier steps have
 * computed transforms of `before` values; the step before had radix last_radix. */
#define STEP(radix, last_radix, before)                                                            \
    {                                                                                              \
        const u32 last_before = (before) / (last_radix);                                           \
        BARRIER();                                                                                 \
        UNROLL for (int u = 0; u < VALUES / (last_radix); u++) {                                   \
            u32 q = from.t + u * GAP, k = q % last_before;                                         \
            UNROLL for (int i = 0; i < (last_radix); i++) {                                        \
                u32 row = (q - k) * (last_radix) + k + i * last_before;                            \
                share[PADDED(row * COLUMNS + from.column)] = a[u + i * (VALUES / (last_radix))];   \
            }                                                                                      \
        }                                                                                          \
        BARRIER();                                                                                 \
        EACH(x) a[x] = share[PADDED((to.t + x * GAP) * COLUMNS + to.column)];                      \
        UNROLL for (int u = 0; u < VALUES / (radix); u++) {                                        \
            u32 k = (to.t + u * GAP) % (before);                                                   \
            UNROLL for (int i = 1; i < (radix); i++) {                                             \
                int x = u + i * (VALUES / (radix));                                                \
                a[x] = complex_mul(a[x], w.inner[k * i * (R / ((before) * (radix)))]);             \
            }                                                                                      \
            CAT(dft_, radix)(a + u, VALUES / (radix));                                             \
        }                                                                                          \
    }

/* Transforms each column. *at is this work-item's column and place in it. If the transform has
 * several steps, *at is place_of(rows) afterwards. */
FN void pass_dft(cvalue *a, struct roots w, struct place *at, u32 rows, LOCAL cvalue *share) {
    UNROLL
    for (int u = 0; u < VALUES / STEP_1; u++)
        CAT(dft_, STEP_1)(a + u, VALUES / STEP_1);
#if STEPS > 1
    struct place from = *at, to = STEPS > 2 ? from : place_of(rows);
    STEP(STEP_2, STEP_1, STEP_1)
#if STEPS > 2
    to = place_of(rows);
    STEP(STEP_3, STEP_2, STEP_1 * STEP_2)
#endif
    *at = to;
#else
    (void)w, (void)at, (void)rows, (void)share;
#endif
}

#endif
