/* SPDX-License-Identifier: LGPL-3.0-or-later
 * Waiting for a context's work, and clearing its data. */
#ifndef MPGPU_SETTLE_H
#define MPGPU_SETTLE_H

#include <stdbool.h>

#include "lib/device/context.h"

/* Waits for all of the context's work on the device. Returns false if its end cannot be known. */
bool settle(struct context *s);

/* If the option `clear` is set, clears what operations have left on the device, in staging memory
 * and in page-locked scratch. Nothing is under way afterwards. Returns GPU_OK, or what failed. */
enum gpu_status settle_and_wipe(struct context *s);

#endif
