/* SPDX-License-Identifier: LGPL-3.0-or-later
 * Room for an operation that lacked device memory. */
#ifndef MPGPU_ROOM_H
#define MPGPU_ROOM_H

#include <stdbool.h>

#include "lib/device/context.h"

/* Waits for what is under way, then releases what operations have left in slots (context_trim).
 * False where that cannot be waited for: then nothing is released. */
bool room_make(struct context *s);

#endif
