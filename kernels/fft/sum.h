/* SPDX-License-Identifier: LGPL-3.0-or-later
 * Definitions for the sum of a floating-point product's coefficients, for the host and the
 * kernels.
 *
 * A coefficient of magnitude below 2^49 is rounded to an integer. Then an offset makes it
 * positive: 2^(51 - bits) (2^width - 1), where the coefficient's digit has `width` bits, and
 * `bits` is the most bits of a digit. The offset is above 2^49, since width >= bits - 1 and width
 * >= 4. If all digits together have p bits, the offsets add up to 2^(51 - bits) (2^p - 1)
 * (lib/multiply/fft_product.c). */
#ifndef SUM_H
#define SUM_H

#include "kernels/common/carry.h"

#define SUM_LOG_MOST 49 /* larger coefficients are not trusted: adjacent doubles are 2^-3 apart */
#define SUM_LOG_OFFSET(bits) (51 - (bits))

/* The sum of a span's coefficients, each below 2^52, may exceed the span by this number of
 * words. */
#define SUM_OUT_WORDS 2
#define SUM_ACC_WORDS (SPAN + SUM_OUT_WORDS)

/* Distances from integers are in units of 1 / SUM_DOUBT. The distance SUM_DOUBT means that a
 * coefficient was too large or not a number. */
#define SUM_DOUBT ((u64)1 << 32)

#endif
