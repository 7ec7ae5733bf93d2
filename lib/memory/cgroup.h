/* SPDX-License-Identifier: LGPL-3.0-or-later
 * Reads the memory limits of the control groups (version 1 and 2) that contain this process: its
 * own group and all its ancestors. */
#ifndef MPGPU_CGROUP_H
#define MPGPU_CGROUP_H

#include <stdbool.h>
#include <stdint.h>

/* Returns the least memory limit of all groups in bytes, or UINT64_MAX if no group has a limit. */
uint64_t cgroup_most(void);

/* Returns true if allocating `bytes` more would leave less than an eighth of some group's limit.
 * Ignores limits of `all` bytes or more. Memory in use includes shared memory, but not cached file
 * pages, which the kernel can drop. */
bool cgroup_is_short(uint64_t bytes, uint64_t all);

/* Reads a number from the file `path` below the root folder (cgroup_set_root): from the line "NAME
 * NUMBER", or the whole file if `name` is "". Returns `none` if the file has no such number. */
uint64_t cgroup_read_number(const char *path, const char *name, uint64_t none);

/* For tests: sets the folder below which /proc and /sys are searched. The string must stay
 * valid. */
void cgroup_set_root(const char *folder);

#endif
