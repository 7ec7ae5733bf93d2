/* SPDX-License-Identifier: LGPL-3.0-or-later
 * Opening the device. */
#ifndef MPGPU_OPENER_H
#define MPGPU_OPENER_H

#include "lib/session/session.h"

/* Before the first device is looked for: what gpu/ has to know.  Where programs may not be built
 * for CPUs, one whose programs are not in the cache is passed over. */
void opener_prepare(bool builds_for_cpus);

/* Open the first device of this machine of those that the options name that opens and passes its
 * known-answer test, with its profile; takes from 0.1 to several seconds.  One whose thresholds are
 * all `never` is passed over, unless `any`.  A gpu_status, and a line
 * about the device, or why there is none. */
enum gpu_status opener_open_own(struct context *s, bool any, char *text, size_t size);

/* The same for the device of mpgpu-serve, if a server runs and has one that is meant.  Once. */
enum gpu_status opener_open_served(struct context *s, bool any, char *text, size_t size);

/* The same for the device that s->dev was found to be (gpu_find). */
enum gpu_status opener_open_found(struct context *s, bool any, char *text, size_t size);

/* Make another context on the device of `first`; *failed_test: it gave a wrong answer. */
enum gpu_status opener_open_stream(const struct context *first, struct context *s,
                                   bool *failed_test, char *text, size_t size);

/* The same for nothing but small products, so many at once. */
enum gpu_status opener_open_small(const struct context *first, struct context *s, unsigned slots,
                                  bool *failed_test, char *text, size_t size);

/* Release all that these have made, the device too if it was opened for this context, unless
 * its work cannot be waited for; *s has nothing but its device's number and hold then. */
void opener_close(struct context *s);

#endif
