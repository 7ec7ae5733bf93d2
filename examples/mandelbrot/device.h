/* SPDX-License-Identifier: LGPL-3.0-or-later
 * Passes the options --backend and --device to the library, as keys of MPGPU_CONF. */
#ifndef EXAMPLE_DEVICE_H
#define EXAMPLE_DEVICE_H

#include <stdbool.h>

#include "examples/mandelbrot/complain.h"

/* Set the value that device_choose will add to MPGPU_CONF. Print a message and return an error
 * if the key cannot have this value. */
enum status device_set_backend(const char *name);
enum status device_set_device(const char *name);

/* Adds the values that were set to MPGPU_CONF. If they name a device, also adds "open:wait", so
 * that the library waits for it. Call it before any function of GMP or mpgpu.h, because the
 * library's first call reads MPGPU_CONF. */
enum status device_choose(void);

/* Returns true if --backend or --device names a device, so that the user expects this device. */
bool device_is_named(void);

#endif
