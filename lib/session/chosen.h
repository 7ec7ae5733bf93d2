/* SPDX-License-Identifier: LGPL-3.0-or-later
 * Which devices the option `device` lists. */
#ifndef MPGPU_CHOSEN_H
#define MPGPU_CHOSEN_H

#include <stdbool.h>

#include "gpu/gpu.h"

/* Returns true if the option is a list, NAME+NAME, or `all`. */
bool chosen_are_several(void);

/* Finds the devices of the list, at most `most`, without opening them; returns their count. Each
 * word means the first device that fits; `all` means all of the first device's backend and kind
 * (GPU or CPU). Prints a warning for each word that fits no device, or only one that is already in
 * the list. */
unsigned chosen_find(struct gpu_device *found, unsigned most);

/* As chosen_find, for the server's devices. Returns 0 if no server runs or no word fits a device of
 * the server. */
unsigned chosen_find_served(struct gpu_device *found, unsigned most);

#endif
