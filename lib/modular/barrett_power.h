/* SPDX-License-Identifier: LGPL-3.0-or-later
 * Computes powers of a batch's numbers by Barrett's reduction. */
#ifndef MPGPU_BARRETT_POWER_H
#define MPGPU_BARRETT_POWER_H

#include "lib/modular/barrett.h"

/* Computes a MODULAR_KIND_POW or MODULAR_KIND_POW_SECURE, checks it if `verify` is `device`, and
 * waits for the device. */
enum gpu_status barrett_power(struct context *s, const struct barrett_operation *b);

#endif
