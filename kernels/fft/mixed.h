/* SPDX-License-Identifier: LGPL-3.0-or-later
 * A pass of any length R = 2^a 3^b 5^c up to MIXED_MOST. It does what pass.h does, for lengths that
 * have no program of their own. The radices of its steps are arguments of the kernel. Values are in
 * local memory; each step reads one array and writes another. */
#ifndef MIXED_H
#define MIXED_H

#include "kernels/fft/roots.h"
#include "kernels/fft/shape.h"

#define MIXED_POINTS (MIXED_BYTES / 2 / (u32)sizeof(cvalue))

struct mixed {
    u32 r, width; /* values of a transform; columns of a group */
    struct roots w;
};

/* The butterflies of one step. Earlier steps have computed transforms of `before` values. */
#define MIXED_STEP(radix)                                                                          \
    for (u32 b = LOCAL_ID; b < m.width * (m.r / (radix)); b += MIXED_THREADS) {                    \
        cvalue a[radix];                                                                           \
        u32 q = b / m.width, c = b - q * m.width, k = q % before, gap = m.r / (radix);             \
        UNROLL for (u32 i = 0; i < (radix); i++) a[i] =                                            \
            complex_mul(from[(q + i * gap) * m.width + c], m.w.inner[k * i * (gap / before)]);     \
        CAT(dft_, radix)(a, 1);                                                                    \
        UNROLL for (u32 i = 0; i < (radix); i++)                                                   \
            to[((q - k) * (radix) + k + i * before) * m.width + c] = a[i];                         \
    }

/* Transforms all columns in `from`; `to` is a second array. Returns the array that has the result.
 * `radices` has four bits for each step, the first step in the lowest bits. */
FN LOCAL cvalue *mixed_dft(struct mixed m, u32 radices, LOCAL cvalue *from, LOCAL cvalue *to) {
    for (u32 before = 1; radices; radices >>= 4) {
        u32 radix = radices & 15u;
        LOCAL cvalue *other = from;
        BARRIER();
        if (radix == 2)
            MIXED_STEP(2)
        else if (radix == 3)
            MIXED_STEP(3)
        else if (radix == 4)
            MIXED_STEP(4)
        else
            MIXED_STEP(5)
        before *= radix;
        from = to, to = other;
    }
    BARRIER();
    return from;
}

/* Defines where value e of the group is: its column c, and its place n in this column. If `rows`,
 * successive values are in one column, otherwise in adjacent columns. Also defines what follows
 * from c: the column's numbers in the batch and its origin. */
#define MIXED_PLACE(c, n, rows)                                                                    \
    u32 c = (rows) ? e / m.r : e % m.width, n = (rows) ? e % m.r : e / m.width, all = first + c;   \
    u32 batch = all / stride, j = all - batch * stride, k = j % done;                              \
    u64 origin = (u64)batch * stride * m.r

/* Computes a pass with steps of the radices in `radices`, from `from` to `to`. For lengths without
 * a program of their own, it replaces the kernel in transform.h. */
KERNEL(MIXED_THREADS)
CAT(fft_, CAT(REAL, _mixed))
(GLOBAL REAL *RESTRICT to, GLOBAL const REAL *RESTRICT from, GLOBAL const REAL *RESTRICT tables,
 u32 tables_at, u32 log_fine, u32 roots_at, u32 columns, u32 stride, u32 done, u32 scale, u32 swap,
 u32 r, u32 radices) {
    LOCAL_ARRAY(cvalue, share, 2 * MIXED_POINTS);
    struct mixed m;
    m.r = r, m.width = MIXED_POINTS / r;
    m.w = roots_of(tables, tables_at, log_fine, roots_at);
    const u32 first = GROUP_X * m.width;
    for (u32 e = LOCAL_ID; e < m.width * r; e += MIXED_THREADS) {
        MIXED_PLACE(c, n, stride == 1);
        cvalue a = COMPLEX_OF(0, 0);
        if (all < columns)
            a = ((GLOBAL const cvalue *)from)[origin + j + (u64)n * stride];
        a = complex_mul(swap & 1u ? complex_swap(a) : a, root(m.w, k * scale * n));
        share[n * m.width + c] = a;
    }
    LOCAL cvalue *result = mixed_dft(m, radices, share, share + MIXED_POINTS);
    for (u32 e = LOCAL_ID; e < m.width * r; e += MIXED_THREADS) {
        MIXED_PLACE(c, n, done == 1);
        cvalue a = result[n * m.width + c];
        if (all < columns)
            ((GLOBAL cvalue *)to)[origin + (u64)(j - k) * r + k + (u64)n * done] =
                swap & 2u ? complex_swap(a) : a;
    }
}

#endif
