/* SPDX-License-Identifier: LGPL-3.0-or-later
 * Powers of batches by steps of Barrett's reduction. */
#ifndef MPGPU_BARRETT_POWER_H
#define MPGPU_BARRETT_POWER_H

#include "lib/modular/barrett.h"

/* MODULAR_KIND_POW, MODULAR_KIND_POW_SECURE: checked, to the end. */
enum gpu_status barrett_power(struct context *s, const struct barrett_operation *b);

#endif
