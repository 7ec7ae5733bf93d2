/* SPDX-License-Identifier: LGPL-3.0-or-later
 * Compares transforms on the device with the reference, within the stated bound. */
#ifndef MPGPU_TEST_FFT_CHECK_H
#define MPGPU_TEST_FFT_CHECK_H

#include "tests/unit/fft/fft_device.h"

/* The bound (doc/design/fft.md), for y of n values and the unit roundoff u, 2^-24 for floats and
 * 2^-53 for doubles:
 *   rms(error) <= FFT_ERROR_RMS u log2(2 n) rms(y)    of all inputs,
 *   max(error) <= FFT_ERROR_MAX u log2(2 n) rms(y)    of random inputs. */
#define FFT_ERROR_RMS 1.0L
#define FFT_ERROR_MAX 3.0L

long double fft_roundoff(enum fft_precision precision);

/* n values and their transform.  They are multiples of 2^-20 of at most 1, real and imaginary part,
 * so floats, and halves of sums of two. */
struct fft_case {
    uint64_t n;
    struct wide *x, *y;
    bool is_random;
};

enum fft_shape {
    FFT_RANDOM,
    FFT_ZEROS,
    FFT_CONSTANT,
    FFT_IMPULSE, /* at a random place */
    FFT_TONE,    /* of a random frequency */
    FFT_ALTERNATING,
    FFT_MIXED, /* of all magnitudes */
    FFT_SHAPES
};

/* Its y by the direct transform to DIRECT_MOST values, otherwise by the recursive one. */
enum { FFT_DIRECT_MOST = 1024 };
struct fft_case fft_case_make(uint64_t n, enum fft_shape shape);
void fft_case_free(struct fft_case *c);

/* The greatest errors so far, in units of u log2(2 n) rms(y). */
struct fft_errors {
    long double rms, max;
    uint64_t rms_at, max_at; /* lengths */
};

enum fft_kind { FFT_COMPLEX, FFT_REAL };

/* Checks batches of the values, of the values times i, and of the reversed values, in both
 * directions; real values are the real parts.  Returns false if the device has no doubles. */
bool fft_check(const struct fft_case *c, enum fft_precision precision, enum fft_kind kind,
               uint64_t batch, struct fft_errors *errors);

/* The same for all precisions and kinds.  errors[precision][kind]; NULL: none are kept. */
void fft_check_all(const struct fft_case *c, uint64_t batch, struct fft_errors errors[2][2]);

void fft_print_errors(const char *what, struct fft_errors errors[2][2]);

#endif
