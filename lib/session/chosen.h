/* SPDX-License-Identifier: LGPL-3.0-or-later
 * Which devices the option `device` lists. */
#ifndef MPGPU_CHOSEN_H
#define MPGPU_CHOSEN_H

#include <stdbool.h>

#include "gpu/gpu.h"

/* The option is a list, NAME+NAME, or `all`. */
bool chosen_are_several(void);

/* The devices of the list, found and not opened, at most so many; how many.  Each word means the
 * first device that fits; `all` means those of the first device's backend and kind, GPUs or CPUs.
 * A line on the terminal names each word that means none, or one that is there already. */
unsigned chosen_find(struct gpu_device *found, unsigned most);

/* The same of the server's devices; 0 where no server runs, or none of the words is its. */
unsigned chosen_find_served(struct gpu_device *found, unsigned most);

#endif
