/* SPDX-License-Identifier: LGPL-3.0-or-later
 * The kernel that computes a pass, for floats and for doubles. */
#ifndef TRANSFORM_H
#define TRANSFORM_H

#include "kernels/fft/pass.h"

FN struct pass pass_of(u32 columns, u32 stride, u32 done, u32 scale) {
    struct pass p;
    p.columns = columns, p.stride = stride, p.done = done, p.scale = scale, p.mirrored = 0;
    return p;
}

FN void pass_load(cvalue *a, GLOBAL const REAL *from, struct pass p, struct place at, u32 swap) {
    GLOBAL const cvalue *x = (GLOBAL const cvalue *)from;
    struct column c = column_of(p, at.column);
    x += c.in + (u64)at.t * p.stride;
    EACH(i) a[i] = c.exists ? x[(u64)(i * GAP) * p.stride] : COMPLEX_OF(0, 0);
    if (swap)
        EACH(i) a[i] = complex_swap(a[i]);
}

FN void pass_twiddle(cvalue *a, struct roots w, struct pass p, struct place at) {
    if (p.done > 1)
        twiddle_all(a, w, at.t, column_of(p, at.column).k * p.scale);
}

FN void pass_store(GLOBAL REAL *to, const cvalue *a, struct pass p, struct place at, u32 swap) {
    GLOBAL cvalue *y = (GLOBAL cvalue *)to;
    struct column c = column_of(p, at.column);
    y += c.out + (u64)at.t * p.done;
    if (!c.exists)
        return;
    EACH(i) y[(u64)(i * GAP) * p.done] = swap ? complex_swap(a[i]) : a[i];
}

/* Computes a pass from `from` to `to`. Applies complex_swap to each value before the pass if bit 0
 * of `swap` is set, and after the pass if bit 1 is set. */
KERNEL_DENSE(THREADS, DENSITY)
CAT(fft_, CAT(REAL, _pass))
(GLOBAL REAL *RESTRICT to, GLOBAL const REAL *RESTRICT from, GLOBAL const REAL *RESTRICT tables,
 u32 tables_at, u32 log_fine, u32 roots_at, u32 columns, u32 stride, u32 done, u32 scale,
 u32 swap) {
    LOCAL_ARRAY(cvalue, share, SHARE);
    cvalue a[VALUES];
    struct pass p = pass_of(columns, stride, done, scale);
    struct roots w = roots_of(tables, tables_at, log_fine, roots_at);
    struct place at = place_of(stride == 1);
    pass_load(a, from, p, at, swap & 1u);
    pass_twiddle(a, w, p, at);
    pass_dft(a, w, &at, done == 1, share);
    pass_store(to, a, p, at, swap & 2u);
}

#endif
