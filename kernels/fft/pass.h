/* SPDX-License-Identifier: LGPL-3.0-or-later
 * A pass of a transform of n = R S values, R the length of this pass.  The R values of column j < S
 * are S apart, from j, and become a transform of R values.  The earlier passes have computed
 * transforms of `done` values, so k = j mod done determines the twiddle factors: exp(-2 pi i k r /
 * (done R)) for value r.  Result r goes to (j - k) R + k + r done, so that the last pass leaves all
 * in order (Stockham's method: T.  Cochran et al., "What is the fast Fourier transform?", Proc.
 * IEEE 55, 1967).
 *
 * A work-group takes COLUMNS adjacent columns, so that it reads, and for done > 1 writes, lines of
 * COLUMNS values.  For done = 1 the results of all its columns are contiguous.  Each work-item
 * holds VALUES values of a column in registers: r = t + x R / VALUES, x < VALUES.  The transform of
 * R values has several steps, of radices STEP_1, STEP_2, STEP_3; between two steps, work-items
 * exchange values through local memory.  After any exchange, and at the end, a work-item holds
 * values in the same pattern. */
#ifndef PASS_H
#define PASS_H

#include "kernels/fft/roots.h"
#include "kernels/fft/shape.h"

#define GAP (R / VALUES) /* between a work-item's values, and its column's work-items */

/* Leaves out one place in 16, so that strides of powers of two use different banks. */
#define PADDED(i) ((i) + ((i) >> 4))
#define SHARE PADDED(POINTS)

#define EACH(x) UNROLL for (int x = 0; x < VALUES; x++)

/* A work-item's column of the group, and its place in it: adjacent work-items have adjacent
 * columns, or with `rows` adjacent places. */
struct place {
    u32 column, t;
};

FN struct place place_of(u32 rows) {
    struct place at;
    at.column = rows ? LOCAL_ID / GAP : LOCAL_ID % COLUMNS;
    at.t = rows ? LOCAL_ID % GAP : LOCAL_ID / COLUMNS;
    return at;
}

/* A launch's parameters of a pass. */
struct pass {
    u32 columns; /* of all transforms of the batch */
    u32 stride;  /* S */
    u32 done;
    u32 scale; /* order of the tables' root / (done R) */
};

/* A column: the first places of its values and its results, and its k. */
struct column {
    u64 in, out;
    u32 k, exists;
};

FN struct column column_of(struct pass p, u32 c) {
    u32 all = GROUP_X * COLUMNS + c, batch = all / p.stride, j = all - batch * p.stride;
    struct column at;
    at.k = j % p.done;
    at.in = (u64)batch * p.stride * R + j;
    at.out = (u64)batch * p.stride * R + (u64)(j - at.k) * R + at.k;
    at.exists = all < p.columns;
    return at;
}

/* f[x] = b s^x from b and the powers s, s^2, s^4, ... s^16; uses only the powers below s^VALUES.
 * Each value multiplies at most four of them. */
FN cvalue twiddle(cvalue b, const cvalue *powers, int x) {
    UNROLL
    for (int i = 0; 1 << i < VALUES; i++)
        if (x >> i & 1)
            b = complex_mul(b, powers[i]);
    return b;
}

/* Multiplies value x by root^((t + x GAP) e) for each x.  root is the root of unity whose powers
 * are in the tables w. */
FN void twiddle_all(cvalue *a, struct roots w, u32 t, u32 e) {
    cvalue powers[5], b = root(w, t * e);
    UNROLL
    for (int i = 0; 1 << i < VALUES; i++)
        powers[i] = root(w, (e * GAP) << i);
    EACH(x) a[x] = complex_mul(a[x], twiddle(b, powers, x));
}

/* A step of the transform, preceded by the exchange of values.  The earlier steps have computed
 * transforms of `before` values. */
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

/* Computes the transform of each column; after an exchange, *at is the place by `rows`. */
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
