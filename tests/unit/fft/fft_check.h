/* SPDX-License-Identifier: LGPL-3.0-or-later
 * Compares transforms on the device with transforms on the host in long double; errors must be
 * within the documented bound. */
#ifndef MPGPU_TEST_FFT_CHECK_H
#define MPGPU_TEST_FFT_CHECK_H

#include "tests/unit/fft/fft_device.h"

/* The bound on errors (doc/design/fft.md). y are n results; the unit roundoff u is 2^-24 for
 * floats and 2^-53 for doubles.
 *   rms(error) <= FFT_ERROR_RMS u log2(2 n) rms(y)    for all inputs,
 *   max(error) <= FFT_ERROR_MAX u log2(2 n) rms(y)    for random inputs. */
#define FFT_ERROR_RMS 1.0L
#define FFT_ERROR_MAX 3.0L

long double fft_roundoff(enum fft_precision precision);

/* n values x and their transform y. Real and imaginary parts of x are multiples of 2^-20 and at
 * most 1. So these parts, and half the sum of two of them, are exact as floats. */
struct fft_case {
    uint64_t n;
    struct wide *x, *y;
    bool is_random;
};

enum fft_shape {
    FFT_RANDOM,
    FFT_ZEROS,
    FFT_CONSTANT,
    FFT_IMPULSE, /* one value other than 0, at a random index */
    FFT_TONE,    /* a wave of random frequency */
    FFT_ALTERNATING,
    FFT_MIXED, /* of all magnitudes */
    FFT_SHAPES
};

/* fft_case_make computes y by the definition up to FFT_DIRECT_MOST values, otherwise recursively
 * (fft_reference.h). */
enum { FFT_DIRECT_MOST = 1024 };
struct fft_case fft_case_make(uint64_t n, enum fft_shape shape);
void fft_case_free(struct fft_case *c);

/* The largest errors so far, as multiples of the unit in which FFT_ERROR_RMS and FFT_ERROR_MAX
 * count. */
struct fft_errors {
    long double rms, max;
    uint64_t rms_at, max_at; /* lengths */
};

enum fft_kind { FFT_COMPLEX, FFT_REAL };

/* Checks batches of the case's values, of these values times i, and of the reversed values, in both
 * directions. For real transforms only the real parts are used. Returns false if the device does
 * not support double. */
bool fft_check(const struct fft_case *c, enum fft_precision precision, enum fft_kind kind,
               uint64_t batch, struct fft_errors *errors);

/* Does the same by the passes of `plan`. */
bool fft_check_plan(const struct fft_case *c, const struct fft_plan *plan, uint64_t batch,
                    struct fft_errors *errors);

/* Calls fft_check for all precisions and kinds. Stores the largest errors in
 * errors[precision][kind] unless it is NULL. */
void fft_check_all(const struct fft_case *c, uint64_t batch, struct fft_errors errors[2][2]);

void fft_print_errors(const char *what, struct fft_errors errors[2][2]);

#endif
