/* SPDX-License-Identifier: LGPL-3.0-or-later
 * Views of the Mandelbrot set by the device's thread, for a thread of the program. */
#ifndef MPGPU_MANDELBROT_RUN_H
#define MPGPU_MANDELBROT_RUN_H

#include "lib/base/outcome.h"
#include "lib/fixed/mandelbrot.h"

/* Computes mandelbrot_device(v) on a device, asking for one if none has been asked for yet. Returns
 * OUTCOME_DONE, or why it was not done: then the arrays hold anything. */
enum outcome mandelbrot_run(const struct mandelbrot_view *v, uint32_t *iterations,
                            uint32_t *magnitudes);

#endif
