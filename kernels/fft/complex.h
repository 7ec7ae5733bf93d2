/* SPDX-License-Identifier: LGPL-3.0-or-later
 * Complex values, and short transforms of them in registers. The type is cvalue, because OpenCL C
 * reserves `complex`. The including file defines REAL, and DOUBLES if REAL is double. dft_r
 * transforms r values: it replaces a[k s], for k < r, by the sum over j of a[j s] exp(-2 pi i j k /
 * r). */
#ifndef COMPLEX_H
#define COMPLEX_H

#include "kernels/common/platform.h"

#define CAT_(a, b) a##b
#define CAT(a, b) CAT_(a, b)
#define COMPLEX CAT(REAL, 2)

#if defined(__OPENCL_VERSION__)
typedef COMPLEX cvalue;
#define COMPLEX_OF(re, im) ((cvalue)((re), (im)))
#elif defined(__CUDACC__)
typedef COMPLEX cvalue;
#define COMPLEX_OF(re, im) CAT(make_, COMPLEX)((re), (im))
#else
typedef struct {
    REAL x, y;
} cvalue;
#define COMPLEX_OF(re, im) ((cvalue){(re), (im)})
#endif

/* COS_n is cos(2 pi / n), SIN_n is sin(2 pi / n); COS_n_2 and SIN_n_2 are the cosine and the sine
 * of twice that angle. */
#define COS_8 ((REAL)0.70710678118654752440)
#define COS_16 ((REAL)0.92387953251128675613)
#define SIN_16 ((REAL)0.38268343236508977173)
#define SIN_3 ((REAL)0.86602540378443864676)
#define COS_5 ((REAL)0.30901699437494742410)
#define COS_5_2 ((REAL)-0.80901699437494742410)
#define SIN_5 ((REAL)0.95105651629515357212)
#define SIN_5_2 ((REAL)0.58778525229247312917)

FN cvalue complex_add(cvalue a, cvalue b) {
    return COMPLEX_OF(a.x + b.x, a.y + b.y);
}

FN cvalue complex_sub(cvalue a, cvalue b) {
    return COMPLEX_OF(a.x - b.x, a.y - b.y);
}

FN cvalue complex_mul(cvalue a, cvalue b) {
    return COMPLEX_OF(a.x * b.x - a.y * b.y, a.x * b.y + a.y * b.x);
}

/* Returns -i a. */
FN cvalue complex_turn(cvalue a) {
    return COMPLEX_OF(a.y, -a.x);
}

/* Returns i times the conjugate of a. If it is applied to all values before and after a forward
 * transform, the result is the backward transform. */
FN cvalue complex_swap(cvalue a) {
    return COMPLEX_OF(a.y, a.x);
}

FN cvalue complex_conjugate(cvalue a) {
    return COMPLEX_OF(a.x, -a.y);
}

/* Returns a exp(-2 pi i e / 16), for e = 0, 1, 2, 3, 4, 6 or 9. */
FN cvalue rotate_16(cvalue a, int e) {
    switch (e) {
    case 1:
        return complex_mul(a, COMPLEX_OF(COS_16, -SIN_16));
    case 2:
        return COMPLEX_OF((a.x + a.y) * COS_8, (a.y - a.x) * COS_8);
    case 3:
        return complex_mul(a, COMPLEX_OF(SIN_16, -COS_16));
    case 4:
        return complex_turn(a);
    case 6:
        return COMPLEX_OF((a.y - a.x) * COS_8, -(a.x + a.y) * COS_8);
    case 9:
        return complex_mul(a, COMPLEX_OF(-COS_16, SIN_16));
    default:
        return a;
    }
}

FN void dft_1(cvalue *a, int s) {
    (void)a, (void)s;
}

FN void dft_2(cvalue *a, int s) {
    cvalue t = a[0];
    a[0] = complex_add(t, a[s]);
    a[s] = complex_sub(t, a[s]);
}

FN void dft_3(cvalue *a, int s) {
    cvalue sum = complex_add(a[s], a[2 * s]), t = complex_sub(a[s], a[2 * s]);
    cvalue middle = COMPLEX_OF(a[0].x - sum.x * (REAL)0.5, a[0].y - sum.y * (REAL)0.5);
    t = COMPLEX_OF(t.y * SIN_3, -t.x * SIN_3);
    a[0] = complex_add(a[0], sum);
    a[s] = complex_add(middle, t);
    a[2 * s] = complex_sub(middle, t);
}

FN void dft_4(cvalue *a, int s) {
    cvalue p = complex_add(a[0], a[2 * s]), q = complex_sub(a[0], a[2 * s]);
    cvalue t = complex_add(a[s], a[3 * s]), u = complex_turn(complex_sub(a[s], a[3 * s]));
    a[0] = complex_add(p, t);
    a[s] = complex_add(q, u);
    a[2 * s] = complex_sub(p, t);
    a[3 * s] = complex_sub(q, u);
}

FN void dft_5(cvalue *a, int s) {
    cvalue p = complex_add(a[s], a[4 * s]), q = complex_add(a[2 * s], a[3 * s]);
    cvalue t = complex_sub(a[s], a[4 * s]), u = complex_sub(a[2 * s], a[3 * s]);
    cvalue b =
        COMPLEX_OF(a[0].x + p.x * COS_5 + q.x * COS_5_2, a[0].y + p.y * COS_5 + q.y * COS_5_2);
    cvalue c =
        COMPLEX_OF(a[0].x + p.x * COS_5_2 + q.x * COS_5, a[0].y + p.y * COS_5_2 + q.y * COS_5);
    cvalue v = complex_turn(COMPLEX_OF(t.x * SIN_5 + u.x * SIN_5_2, t.y * SIN_5 + u.y * SIN_5_2));
    cvalue w = complex_turn(COMPLEX_OF(t.x * SIN_5_2 - u.x * SIN_5, t.y * SIN_5_2 - u.y * SIN_5));
    a[0] = complex_add(a[0], complex_add(p, q));
    a[s] = complex_add(b, v);
    a[2 * s] = complex_add(c, w);
    a[3 * s] = complex_sub(c, w);
    a[4 * s] = complex_sub(b, v);
}

/* Defines dft_r for r = p q, where p and q are 2 or 4: q transforms of p values, a product by
 * twiddle factors, and p transforms of q values. */
#define DFT_OF_POWERS(r, p, q)                                                                     \
    FN void dft_##r(cvalue *a, int s) {                                                            \
        cvalue b[r];                                                                               \
        UNROLL for (int j = 0; j < q; j++) {                                                       \
            dft_##p(a + j * s, q * s);                                                             \
            UNROLL for (int k = 0; k < p; k++) b[k * q + j] =                                      \
                rotate_16(a[(j + q * k) * s], j * k * (16 / r));                                   \
        }                                                                                          \
        UNROLL for (int k = 0; k < p; k++) {                                                       \
            dft_##q(b + k * q, 1);                                                                 \
            UNROLL for (int l = 0; l < q; l++) a[(k + p * l) * s] = b[k * q + l];                  \
        }                                                                                          \
    }

/* Defines dft_r for r = p q, where p and q have no common factor. Value q i + p j has the indices i
 * and j, result k the indices k mod p and k mod q. So no twiddle factors are needed (I. J. Good,
 * "The interaction algorithm and practical Fourier analysis", J. Royal Statistical Society B 20,
 * 1958). */
#define DFT_OF_COPRIMES(r, p, q)                                                                   \
    FN void dft_##r(cvalue *a, int s) {                                                            \
        cvalue b[r];                                                                               \
        UNROLL for (int i = 0; i < p; i++) {                                                       \
            UNROLL for (int j = 0; j < q; j++) b[i * q + j] = a[(q * i + p * j) % r * s];          \
            dft_##q(b + i * q, 1);                                                                 \
        }                                                                                          \
        UNROLL for (int j = 0; j < q; j++) dft_##p(b + j, q);                                      \
        UNROLL for (int k = 0; k < r; k++) a[k * s] = b[k % p * q + k % q];                        \
    }

DFT_OF_POWERS(8, 4, 2)
DFT_OF_POWERS(16, 4, 4)
DFT_OF_COPRIMES(6, 2, 3)
DFT_OF_COPRIMES(10, 2, 5)
DFT_OF_COPRIMES(12, 4, 3)
DFT_OF_COPRIMES(20, 4, 5)

#endif
