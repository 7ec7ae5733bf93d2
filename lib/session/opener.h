/* SPDX-License-Identifier: LGPL-3.0-or-later
 * Opening the device. */
#ifndef MPGPU_OPENER_H
#define MPGPU_OPENER_H

#include "lib/session/session.h"

/* Configures gpu/. Call it before the first device is searched. builds_for_cpus: kernels may be
 * built for a CPU; otherwise a CPU whose kernels are not in the cache is skipped. */
void opener_prepare(bool builds_for_cpus);

/* Opens the first of this machine's devices named by the options that opens and passes its
 * known-answer test. Also chooses its profile. Takes from 0.1 to several seconds. Skips a device
 * whose thresholds are all `never`, unless `any`. Writes a line about the device to `text`, or why
 * there is none. */
enum gpu_status opener_open_own(struct context *s, bool any, char *text, size_t size);

/* As opener_open_own, for a device of mpgpu-serve, if a server runs and the options name one of its
 * devices. Call it once. */
enum gpu_status opener_open_served(struct context *s, bool any, char *text, size_t size);

/* As opener_open_own, for the device found in s->dev (gpu_find). */
enum gpu_status opener_open_found(struct context *s, bool any, char *text, size_t size);

/* Opens another context on the device of `first`. Sets *failed_test if the device gave a wrong
 * answer. */
enum gpu_status opener_open_stream(const struct context *first, struct context *s,
                                   bool *failed_test, char *text, size_t size);

/* As opener_open_stream, for small products only, in `slots` slots at once. */
enum gpu_status opener_open_small(const struct context *first, struct context *s, unsigned slots,
                                  bool *failed_test, char *text, size_t size);

/* Releases all resources that these functions have allocated, and the device if this context opened
 * it. If the device's work cannot be waited for, releases nothing. Afterwards *s has only its
 * device's number and its hold. */
void opener_close(struct context *s);

#endif
