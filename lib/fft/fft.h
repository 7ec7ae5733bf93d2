/* SPDX-License-Identifier: LGPL-3.0-or-later
 * Floating-point transforms on the device.
 *
 * Forward: y[k] = sum over j of x[j] exp(-2 pi i j k / n); backward with the other sign.  Neither
 * is scaled: one after the other multiplies by n.  A complex value is two floats or doubles, its
 * real part first.  The transform of n real values has n / 2 + 1 complex ones (k <= n / 2).
 *
 * A buffer has `batch` transforms, one after the other, batch * n <= 2^32.  `to` and `from` are
 * different buffers, aligned to 16 bytes; `from` stays unchanged.  All work is queued.
 *
 * The functions allocate one more buffer of the same size (two for two real values or an odd number
 * of them) and, once, 8 MiB for roots.  They return GPU_NOMEM if memory is missing or batch * n is
 * too large, and GPU_ABSENT if fft_is_served returns false. */
#ifndef MPGPU_FFT_H
#define MPGPU_FFT_H

#include <stdbool.h>

#include "lib/device/context.h"
#include "lib/fft/fft_plan.h"

/* Returns true if the device has the local memory, and the doubles, that transforms of this
 * precision need. */
bool fft_is_served(const struct context *s, enum fft_precision precision);

enum fft_direction { FFT_FORWARD, FFT_BACKWARD };

/* Transforms complex values; p->is_real must be false. */
enum gpu_status fft_complex(struct context *s, const struct fft_plan *p, enum fft_direction d,
                            gpu_mem to, gpu_mem from, uint64_t batch);

/* Transform n real values to n / 2 + 1 complex ones, and back; p->is_real must be true. */
enum gpu_status fft_real_forward(struct context *s, const struct fft_plan *p, gpu_mem to,
                                 gpu_mem from, uint64_t batch);
enum gpu_status fft_real_backward(struct context *s, const struct fft_plan *p, gpu_mem to,
                                  gpu_mem from, uint64_t batch);

#endif
