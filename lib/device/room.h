/* SPDX-License-Identifier: LGPL-3.0-or-later
 * Room for an operation that lacked device memory. */
#ifndef MPGPU_ROOM_H
#define MPGPU_ROOM_H

#include <stdbool.h>

#include "lib/device/context.h"

/* Waits for what is under way, then releases what operations have left in slots (context_trim).
 * False where that cannot be waited for: then nothing is released. */
bool room_make(struct context *s);

/* Calls work(s, argument) in the device's thread.  After GPU_NOMEM calls it again: first without
 * the buffers of other operations, then also with plans for less memory.  Returns the last status.
 */
enum gpu_status room_persist(struct context *s,
                             enum gpu_status (*work)(struct context *s, void *argument),
                             void *argument);

#endif
