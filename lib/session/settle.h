/* SPDX-License-Identifier: LGPL-3.0-or-later
 * The end of what a context was asked to do. */
#ifndef MPGPU_SETTLE_H
#define MPGPU_SETTLE_H

#include <stdbool.h>

#include "lib/device/context.h"

/* Wait for all that was asked of the device, whatever of it is open; false if that cannot be known.
 */
bool settle(struct context *s);

/* Where the option `clear` asks for it: clear what operations have left on the device, in staging
 * memory and in page-locked scratch.  Nothing is under way afterwards.  GPU_OK, or what failed. */
enum gpu_status settle_and_wipe(struct context *s);

#endif
