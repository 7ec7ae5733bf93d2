/* SPDX-License-Identifier: LGPL-3.0-or-later
 * Functions that return how much memory the process may use, and whether memory is short. */
#ifndef MPGPU_PRESSURE_H
#define MPGPU_PRESSURE_H

#include <stdbool.h>
#include <stdint.h>

/* Returns the bytes of memory that this process may use: the machine's memory, or less if a control
 * group or a process limit (setrlimit) allows less. */
uint64_t pressure_total(void);

/* Returns true if the process has a limit of address space (RLIMIT_AS). */
bool pressure_limits_addresses(void);

/* The memory in bytes that a driver for CPUs (PoCL and LLVM) needs before it computes anything. */
#define PRESSURE_OF_CPU_DRIVER ((uint64_t)128 << 20)

/* Returns true if allocating `bytes` more would leave less than an eighth of the machine's memory,
 * or of some control group's limit. */
bool pressure_is_high(uint64_t bytes);

/* Returns true if allocating `bytes` more would leave less than an eighth of some control group's
 * limit. Used for memory of a CPU device, for which only groups count: if the machine itself is
 * short of memory, the kernel ends mpgpu-serve first. */
bool pressure_of_groups(uint64_t bytes);

#endif
