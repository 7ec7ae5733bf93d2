/* SPDX-License-Identifier: LGPL-3.0-or-later
 * Frees memory for an operation that lacked device memory. */
#ifndef MPGPU_RETRY_H
#define MPGPU_RETRY_H

#include <stdbool.h>

#include "lib/device/context.h"

/* Waits for the work under way, then releases what operations have left in slots (context_trim).
 * Returns false, and releases nothing, if waiting fails. */
bool retry_release(struct context *s);

/* Calls work(s, argument). Repeats it after GPU_NOMEM: first without the buffers of other
 * operations, then also with plans for less memory. Returns the last status. */
enum gpu_status retry_with_less(struct context *s,
                                enum gpu_status (*work)(struct context *s, void *argument),
                                void *argument);

#endif
