/* SPDX-License-Identifier: LGPL-3.0-or-later
 * Floating-point transforms on the device.
 *
 * Forward: y[k] = sum over j of x[j] exp(-2 pi i j k / n); backward with the other sign.  Neither
 * is scaled, so one after the other multiplies by n.  A complex value is two floats or doubles, its
 * real part first.  Of n real values the transform has n / 2 + 1 complex ones (k <= n / 2).
 *
 * `batch` transforms lie behind one another in each buffer, batch * n <= 2^32.  `to` and `from` are
 * different buffers, aligned to 16 bytes; `from` is kept.  Everything is put into the context's
 * queue.  GPU_NOMEM if there are more, or no room for one more array of that size (two for an odd
 * number of real values), and once 8 MiB of roots.  GPU_ABSENT where fft_is_served says no. */
#ifndef MPGPU_FFT_H
#define MPGPU_FFT_H

#include <stdbool.h>

#include "lib/device/context.h"
#include "lib/fft/fft_plan.h"

/* Has the device what such transforms take: local memory, doubles? */
bool fft_is_served(const struct context *s, enum fft_precision precision);

enum fft_direction { FFT_FORWARD, FFT_BACKWARD };

/* Of complex values; p->is_real is false. */
enum gpu_status fft_complex(struct context *s, const struct fft_plan *p, enum fft_direction d,
                            gpu_mem to, gpu_mem from, uint64_t batch);

/* From n real values to n / 2 + 1 complex ones, and back; p->is_real is true. */
enum gpu_status fft_real_forward(struct context *s, const struct fft_plan *p, gpu_mem to,
                                 gpu_mem from, uint64_t batch);
enum gpu_status fft_real_backward(struct context *s, const struct fft_plan *p, gpu_mem to,
                                  gpu_mem from, uint64_t batch);

#endif
