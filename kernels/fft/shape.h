/* SPDX-License-Identifier: LGPL-3.0-or-later
 * The shape of the work-groups of passes of length R, for the host and the kernels: radices, values
 * of a work-item, columns of a group. R is a power of two from 2^4 to 2^12 (2^11 for doubles), 192
 * or 320. */
#ifndef FFT_SHAPE_H
#define FFT_SHAPE_H

/* Work-items of a group. With doubles there are half the work-items, because a double takes two
 * registers. */
#define FFT_THREADS(doubles) ((doubles) ? 128 : 256)
#define FFT_VALUES(r) ((r) % 3 == 0 ? 12 : (r) % 5 == 0 ? 20 : 16)
#define FFT_COLUMNS(r, doubles) (FFT_THREADS(doubles) * FFT_VALUES(r) / (r))

/* The most local memory of a group in bytes: 20 values for each work-item, and one more value for
 * each 16 values (pass.h); for fft_digits also places and weights of 21 digits. */
#define FFT_LOCAL_BYTES (FFT_THREADS(0) * 20 * 17 / 16 * 8 + 21 * 24)

/* True if length R has a program for convolutions of doubles (convolution.h). */
#define FFT_CONVOLVES(r) ((r) >= 32 && (r) <= 1024)

/* For mixed.h: work-items of a group, bytes of local memory for the two arrays of values, the
 * longest transform, and the columns of a group. */
#define MIXED_THREADS 128
#define MIXED_BYTES (32 << 10)
#define MIXED_MOST 1024
#define MIXED_COLUMNS(r, complex_bytes) (MIXED_BYTES / 2 / (complex_bytes) / (r))

/* For real.h: work-items of a group. Each work-item computes one or two values. */
#define REAL_THREADS 256

#if defined(R)
#if R % 3 == 0
#define VALUES 12
#elif R % 5 == 0
#define VALUES 20
#else
#define VALUES 16
#endif
#if defined(DOUBLES)
#define THREADS 128
#define DENSITY (VALUES == 20 ? 3 : 4)
/* density of the kernels that read digits, found by measurements
 * (doc/measurements/fft_product.md) */
#define DIGITS_DENSITY (VALUES == 12 ? 5 : DENSITY)
#else
#define THREADS 256
#define DENSITY 3
#endif
#define POINTS (THREADS * VALUES)
#define COLUMNS (POINTS / R)

#if R == 16
#define STEPS 1
#define STEP_1 16
#elif R == 32
#define STEPS 2
#define STEP_1 16
#define STEP_2 2
#elif R == 64
#define STEPS 2
#define STEP_1 8
#define STEP_2 8
#elif R == 128
#define STEPS 2
#define STEP_1 16
#define STEP_2 8
#elif R == 256
#define STEPS 2
#define STEP_1 16
#define STEP_2 16
#elif R == 512
#define STEPS 3
#define STEP_1 8
#define STEP_2 8
#define STEP_3 8
#elif R == 1024
#define STEPS 3
#define STEP_1 16
#define STEP_2 8
#define STEP_3 8
#elif R == 2048
#define STEPS 3
#define STEP_1 16
#define STEP_2 16
#define STEP_3 8
#elif R == 4096
#define STEPS 3
#define STEP_1 16
#define STEP_2 16
#define STEP_3 16
#elif R == 192
#define STEPS 3
#define STEP_1 12
#define STEP_2 4
#define STEP_3 4
#elif R == 320
#define STEPS 3
#define STEP_1 20
#define STEP_2 4
#define STEP_3 4
#else
#error "no such pass"
#endif
#endif

#endif
