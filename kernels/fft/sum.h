/* SPDX-License-Identifier: LGPL-3.0-or-later
 * What host and kernels share of the sum of a floating-point product's coefficients.
 *
 * A coefficient within 2^49 of 0 is rounded to an integer c, and 2^(51 - bits) (2^bits - 1), which
 * is at least 2^50, makes it positive.  At steps of `bits` bits that adds up to
 * 2^(51 - bits) (2^(bits length) - 1) (lib/multiply/fft_product.c). */
#ifndef SUM_H
#define SUM_H

#include "kernels/common/carry.h"

#define SUM_LOG_MOST 49 /* coefficients of 2^49 or more are not trusted: doubles are 2^-4 apart */
#define SUM_LOG_OFFSET(bits) (51 - (bits))

#define SUM_OUT_WORDS 2 /* words of the next span that a span's coefficients, below 2^52, reach */
#define SUM_ACC_WORDS (SPAN + SUM_OUT_WORDS)

/* The unit of distances from integers is 1 / SUM_DOUBT.  SUM_DOUBT itself: a coefficient is too
 * large, or NaN. */
#define SUM_DOUBT ((u64)1 << 32)

#endif
