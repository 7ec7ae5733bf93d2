/* SPDX-License-Identifier: LGPL-3.0-or-later
 * Passes the options --backend and --device to the library, as keys of MPGPU_CONF. */
#ifndef EXAMPLE_DEVICE_H
#define EXAMPLE_DEVICE_H

#include <stdbool.h>

#include "examples/mandelbrot/complain.h"

/* Set the value of MPGPU_CONF's key `backend` or `device` that device_choose will add. Print a
 * message and return an error if the key cannot have this value. */
enum status device_set_backend(const char *name);
enum status device_set_device(const char *name);

/* Appends the values of device_set_backend and device_set_device to MPGPU_CONF. If these name a
 * device, also appends "open:wait", so that the library waits for the device. Call it before any
 * intercepted function of GMP or one of mpgpu.h: the first call of these reads MPGPU_CONF. */
enum status device_choose(void);

/* Returns true if --backend or --device names a device, so that the user expects this device. */
bool device_is_named(void);

#endif
