/* SPDX-License-Identifier: LGPL-3.0-or-later
 * Products of polynomials: definitions for the host and the kernels. */
#ifndef POLY_H
#define POLY_H

/* Work-items of a group. */
#define POLY_THREADS 128
/* Work-items of a group of poly_check. */
#define POLY_CHECK_THREADS 256

/* How the kernels read the words of a coefficient. POLY_ABSOLUTE: an unsigned number. POLY_SIGNED:
 * two's complement. POLY_BIAS, for poly_spread alone: each coefficient is 0. */
#define POLY_ABSOLUTE 0
#define POLY_SIGNED 1
#define POLY_BIAS 2

/* The most words of a coefficient that poly_reduce reads. */
#define POLY_REDUCE_WORDS 6

#endif
