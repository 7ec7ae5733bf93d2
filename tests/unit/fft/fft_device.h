/* SPDX-License-Identifier: LGPL-3.0-or-later
 * Runs a transform on the device, on values from the host. */
#ifndef MPGPU_TEST_FFT_DEVICE_H
#define MPGPU_TEST_FFT_DEVICE_H

#include "lib/fft/fft.h"
#include "tests/unit/fft/fft_reference.h"

/* An array of `count` floats or doubles, followed by guard bytes that no transform may change. */
struct fft_array {
    enum fft_precision precision;
    uint64_t count;
    unsigned char *bytes;
};

/* Number of guard bytes behind an array: 256, unless a test sets it to 0. */
extern size_t fft_array_behind;

struct fft_array fft_array_alloc(enum fft_precision precision, uint64_t count);
void fft_array_free(struct fft_array *a);

/* Return the bytes of the values alone, and of the values with the guard bytes. */
size_t fft_array_bytes(const struct fft_array *a);
size_t fft_array_all(const struct fft_array *a);

void fft_array_set(struct fft_array *a, uint64_t i, long double value);
long double fft_array_get(const struct fft_array *a, uint64_t i);

static inline void fft_array_set_wide(struct fft_array *a, uint64_t i, struct wide value) {
    fft_array_set(a, 2 * i, value.re);
    fft_array_set(a, 2 * i + 1, value.im);
}

static inline struct wide fft_array_get_wide(const struct fft_array *a, uint64_t i) {
    return (struct wide){fft_array_get(a, 2 * i), fft_array_get(a, 2 * i + 1)};
}

/* A batch of transforms. Transforms of real values have a direction, too: from real to complex
 * values, or back. */
struct fft_job {
    struct fft_plan plan;
    enum fft_direction direction;
    uint64_t batch;
};

/* Return the number of floats or doubles in all input arrays of the batch, and in all its output
 * arrays. */
uint64_t fft_job_from(const struct fft_job *job);
uint64_t fft_job_to(const struct fft_job *job);

/* Runs the job on the session's device. Fails the test if `from` or guard bytes change. Returns
 * false if the device does not support double. */
bool fft_job_run(const struct fft_job *job, struct fft_array *to, const struct fft_array *from);

#endif
