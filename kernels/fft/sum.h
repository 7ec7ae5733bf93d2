/* SPDX-License-Identifier: LGPL-3.0-or-later
 * What host and kernels share of the sum of a floating-point product's coefficients.
 *
 * A coefficient within 2^49 of 0 is rounded to an integer c, and 2^(51 - bits) (2^bits - 1), which
 * is at least 2^50, makes it positive.  At steps of `bits` bits that adds up to
 * 2^(51 - bits) (2^(bits length) - 1) (lib/multiply/fft_product.c). */
#ifndef SUM_H
#define SUM_H

#include "kernels/common/carry.h"

#define SUM_LOG_MOST 49 /* a coefficient from 2^49 on is not trusted: doubles lie 2^-4 apart */
#define SUM_LOG_OFFSET(bits) (51 - (bits))

#define SUM_OUT_WORDS 2 /* what a span's coefficients reach into the next: they are below 2^52 */
#define SUM_ACC_WORDS (SPAN + SUM_OUT_WORDS)

/* Distances from integers are told in units of 1 / this; this itself where a coefficient is too
 * large or no number. */
#define SUM_DOUBT ((u64)1 << 32)

#endif
