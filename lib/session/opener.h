/* SPDX-License-Identifier: LGPL-3.0-or-later
 * Opening the device. */
#ifndef MPGPU_OPENER_H
#define MPGPU_OPENER_H

#include "lib/session/session.h"

/* Passes the options to the code in gpu/. Call it before the first device is searched. If
 * builds_for_cpus, kernels may be built for a CPU; otherwise a CPU whose kernels are not in the
 * cache is not used. */
void opener_prepare(bool builds_for_cpus);

/* Opens a device of this machine that matches the options: the first one that can be opened and
 * passes its known-answer test. Also chooses the device's profile. Takes from 0.1 to several
 * seconds. Does not use a device whose thresholds are all `never`, unless `any` is set. Writes a
 * line to `text` about the device, or about the reason why there is none. */
enum gpu_status opener_open_own(struct context *s, bool any, char *text, size_t size);

/* Does the same as opener_open_own for the first device of mpgpu-serve that matches the options, if
 * a server runs. Tries no other device. */
enum gpu_status opener_open_served(struct context *s, bool any, char *text, size_t size);

/* Does the same as opener_open_own for the device s->dev, which gpu_find has found. */
enum gpu_status opener_open_found(struct context *s, bool any, char *text, size_t size);

/* Opens another context on the device of `first`. Sets *failed_test if the device failed a
 * known-answer test. */
enum gpu_status opener_open_stream(const struct context *first, struct context *s,
                                   bool *failed_test, char *text, size_t size);

/* Does the same as opener_open_stream for a context that only computes small products, of which
 * `slots` may be in progress at once. */
enum gpu_status opener_open_small(const struct context *first, struct context *s, unsigned slots,
                                  bool *failed_test, char *text, size_t size);

/* Releases all resources of the context, and closes the device if this context has opened it. If
 * the device's work does not end, releases nothing, because the device may still use the resources.
 * Afterwards all members of *s are zero, except `number` and `lease`. */
void opener_close(struct context *s);

#endif
