/* SPDX-License-Identifier: LGPL-3.0-or-later
 * Waits for the end of a context's commands, and clears its data. */
#ifndef MPGPU_DRAIN_H
#define MPGPU_DRAIN_H

#include <stdbool.h>

#include "lib/device/context.h"

/* Waits until all commands of the context on the device have ended. Returns false if it cannot be
 * sure that they have ended. */
bool drain_work(struct context *s);

/* If the option `clear` is set, clears the data of operations on the device, in the staging ring
 * and in page-locked memory. Then waits until all commands of the context have ended. Without the
 * option, does nothing. Returns GPU_OK, or the failure. */
enum gpu_status drain_and_wipe(struct context *s);

#endif
