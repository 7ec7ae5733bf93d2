/* SPDX-License-Identifier: LGPL-3.0-or-later
 * Checks whether memory of a given size is available on this machine. */
#ifndef EXAMPLE_MEMORY_H
#define EXAMPLE_MEMORY_H

#include <stdbool.h>
#include <stdint.h>

/* Returns true if the machine has `bytes` bytes available (MemAvailable) and the container's
 * cgroup allows this size. malloc alone does not show this, because it may return more memory
 * than exists. */
bool memory_suffices(uint64_t bytes);

#endif
