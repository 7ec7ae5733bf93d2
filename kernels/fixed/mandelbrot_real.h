/* SPDX-License-Identifier: LGPL-3.0-or-later
 * An orbit of the Mandelbrot set in double precision. Each operation is rounded to nearest
 * separately, so that all devices and the host compute the same results. */
#ifndef MANDELBROT_REAL_H
#define MANDELBROT_REAL_H

#include "kernels/common/platform.h"
#include "kernels/fixed/mandelbrot_view.h"

/* Keep compilers from contracting a product and a sum to one operation. */
#if defined(__CUDACC__)
#define REAL_ADD(a, b) __dadd_rn(a, b)
#define REAL_MUL(a, b) __dmul_rn(a, b)
#else
#if defined(__OPENCL_VERSION__)
#pragma OPENCL EXTENSION cl_khr_fp64 : enable
#pragma OPENCL FP_CONTRACT OFF
#elif defined(__clang__)
#pragma STDC FP_CONTRACT OFF
#elif defined(__GNUC__)
#pragma GCC optimize("-ffp-contract=off")
#endif
#define REAL_ADD(a, b) ((a) + (b))
#define REAL_MUL(a, b) ((a) * (b))
#endif

struct mandelbrot_real {
    double cx, cy, x, y; /* the point c; z after n iterations */
    u32 n, magnitude;    /* iterations so far; |z|^2 if the orbit has escaped */
};

FN struct mandelbrot_real mandelbrot_real_of(GLOBAL const double *view, u32 column, u32 row) {
    struct mandelbrot_real o;
    o.cx = REAL_ADD(view[0], REAL_MUL(view[2], (double)column));
    o.cy = REAL_ADD(view[1], -REAL_MUL(view[2], (double)row));
    o.x = o.y = 0;
    o.n = o.magnitude = 0;
    return o;
}

/* Computes iterations until iteration `limit`. Returns 1 if the orbit has escaped. */
FN u32 mandelbrot_real_run(struct mandelbrot_real *o, u32 limit) {
    while (o->n < limit) {
        const double xx = REAL_MUL(o->x, o->x), yy = REAL_MUL(o->y, o->y), s = REAL_ADD(xx, yy);
        if (!(s < MANDELBROT_ESCAPE)) {
            double units = s * (1 << MANDELBROT_FRACTION_BITS);
            o->magnitude = units < 4294967295. ? (u32)units : ~0u;
            return 1;
        }
        o->y = REAL_ADD(REAL_MUL(REAL_ADD(o->x, o->x), o->y), o->cy);
        o->x = REAL_ADD(REAL_ADD(xx, -yy), o->cx);
        o->n++;
    }
    return 0;
}

#endif
