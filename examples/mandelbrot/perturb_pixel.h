/* SPDX-License-Identifier: LGPL-3.0-or-later
 * Computes one sample relative to a reference orbit.  Compiled once for each REAL: double and long
 * double; PERTURB_PIXEL is the function's name.  Only perturbation.c includes this file.
 *
 * With z = Z + d, c = C + e: d' = 2 Z d + d^2 + e, where Z is the reference of the same index.  If
 * |z| < |d|, this loses significant bits (a glitch).  Then, and at the end of the reference, the
 * sample continues from the begin of the reference with d = z, because Z_0 = 0 and C is the same.
 * (Zhuoran, Another solution to perturbation glitches, 2021, fractalforums.org.) */
static struct escape PERTURB_PIXEL(const REAL *restrict reference, size_t last, REAL ex, REAL ey,
                                   uint32_t most) {
    REAL dx = 0, dy = 0;
    size_t m = 0;
    for (uint32_t i = 0; i < most; i++) {
        REAL rx = reference[2 * m], ry = reference[2 * m + 1], x = rx + dx, y = ry + dy;
        REAL norm = x * x + y * y;
        if (norm >= MPGPU_MANDELBROT_ESCAPE)
            return escape_at(i, (double)norm);
        if (norm < dx * dx + dy * dy || m == last) {
            dx = x, dy = y;
            rx = ry = 0;
            m = 0;
        }
        REAL sx = rx + x, sy = ry + y; /* 2 Z + d; behind a return Z is 0, and this is d */
        REAL next = sx * dx - sy * dy + ex;
        dy = sx * dy + sy * dx + ey;
        dx = next;
        m++;
    }
    return (struct escape){most, 0};
}
