/* SPDX-License-Identifier: LGPL-3.0-or-later
 * The options --backend and --device: keys of MPGPU_CONF. */
#ifndef EXAMPLE_DEVICE_H
#define EXAMPLE_DEVICE_H

#include <stdbool.h>

#include "examples/mandelbrot/complain.h"

/* Set a key for device_choose.  They complain of what cannot be its value. */
enum status device_set_backend(const char *name);
enum status device_set_device(const char *name);

/* Adds the keys that were set to MPGPU_CONF, and waiting for the device if they name one.  The
 * library reads that variable in the first call of a function of GMP or mpgpu.h that it has: call
 * this before. */
enum status device_choose(void);

/* Returns true if one of the two options names a device: the user expects it. */
bool device_is_named(void);

#endif
