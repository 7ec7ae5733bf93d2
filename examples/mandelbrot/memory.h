/* SPDX-License-Identifier: LGPL-3.0-or-later
 * What fits into this machine. */
#ifndef EXAMPLE_MEMORY_H
#define EXAMPLE_MEMORY_H

#include <stdbool.h>
#include <stdint.h>

/* Whether so many bytes are at most what the machine has available (MemAvailable), and what a
 * container's cgroup may have: malloc gives more than there is. */
bool memory_suffices(uint64_t bytes);

#endif
