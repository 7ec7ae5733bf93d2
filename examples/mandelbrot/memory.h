/* SPDX-License-Identifier: LGPL-3.0-or-later
 * What fits into this machine. */
#ifndef EXAMPLE_MEMORY_H
#define EXAMPLE_MEMORY_H

#include <stdbool.h>
#include <stdint.h>

/* Returns whether the machine has `bytes` bytes available (MemAvailable), and a container's cgroup
 * allows them: malloc alone may return more memory than there is. */
bool memory_suffices(uint64_t bytes);

#endif
