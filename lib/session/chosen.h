/* SPDX-License-Identifier: LGPL-3.0-or-later
 * Finds the devices that the option `device` names. */
#ifndef MPGPU_CHOSEN_H
#define MPGPU_CHOSEN_H

#include <stdbool.h>

#include "gpu/gpu.h"

/* Returns true if the option `device` is `all`, or a list of the form NAME+NAME. */
bool chosen_are_several(void);

/* Finds the devices of the option `device`, at most `most`, without opening them; returns their
 * count. Each word of the list selects the first device that matches it. `all` selects all devices
 * of the first device's backend and kind (GPU or CPU). Prints a warning for a word that matches no
 * device, only a device that is already in the list, or one device too many. */
unsigned chosen_find(struct gpu_device *found, unsigned most);

/* Does the same as chosen_find for the devices of mpgpu-serve. Returns 0 if no server runs or no
 * word matches one of its devices. */
unsigned chosen_find_served(struct gpu_device *found, unsigned most);

#endif
