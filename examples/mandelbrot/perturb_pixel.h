/* SPDX-License-Identifier: LGPL-3.0-or-later
 * Computes one sample relative to a reference orbit.  perturbation.c includes this file twice, with
 * REAL as double and as long double; PERTURB_PIXEL is the function's name.
 *
 * Z is a point of the reference orbit, and C its constant.  The sample's point is z = Z + d, and
 * its constant c = C + e.  A step computes the next d, which is 2 Z d + d^2 + e.  If |z| < |d|,
 * significant bits are lost (a glitch).  In this case, and at the end of the reference orbit,
 * the sample continues at the start of that orbit, Z = 0, with d = z.  This does not change z.
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
        REAL sx = rx + x, sy = ry + y; /* 2 Z + d; after a restart Z is 0 and the sum is d */
        REAL next = sx * dx - sy * dy + ex;
        dy = sx * dy + sy * dx + ey;
        dx = next;
        m++;
    }
    return (struct escape){most, 0};
}
