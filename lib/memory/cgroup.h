/* SPDX-License-Identifier: LGPL-3.0-or-later
 * The memory limits of this process's control groups, of version 1 and 2: its own group and all
 * above it. */
#ifndef MPGPU_CGROUP_H
#define MPGPU_CGROUP_H

#include <stdbool.h>
#include <stdint.h>

/* Returns the least limit in bytes; UINT64_MAX if there is none. */
uint64_t cgroup_most(void);

/* Returns true if, with `bytes` more in use, less than an eighth of a group's limit would be left.
 * Ignores limits of `all` bytes or more. File pages, which the kernel can drop, do not count as in
 * use; shared memory does. */
bool cgroup_is_short(uint64_t bytes, uint64_t all);

/* Reads a line "name number" of a file below the root folder, or a file that is a number (name "").
 * Returns `none` if there is no such number. */
uint64_t cgroup_read_number(const char *path, const char *name, uint64_t none);

/* For tests: sets the folder that contains /proc and /sys. The string must stay valid. */
void cgroup_set_root(const char *folder);

#endif
