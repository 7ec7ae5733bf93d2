/* SPDX-License-Identifier: LGPL-3.0-or-later
 * Known answers of launches in series (lib/device/series.h). */
#ifndef MPGPU_SELFTEST_SERIES_H
#define MPGPU_SELFTEST_SERIES_H

#include <stdbool.h>

#include "lib/device/context.h"

/* A self-test that has been passed, with its launches in series; at once if that was passed before.
 * False: the context goes on without them.  After series_acquire. */
bool selftest_in_series(struct context *s,
                        enum gpu_status (*test)(struct context *s, const void *argument),
                        const void *argument);

#endif
