/* SPDX-License-Identifier: LGPL-3.0-or-later
 * How much memory the system has, and whether it is short. */
#ifndef MPGPU_PRESSURE_H
#define MPGPU_PRESSURE_H

#include <stdbool.h>
#include <stdint.h>

/* Returns the bytes of memory that this process may use: the machine's memory, or less if a control
 * group or a limit of the process allows less. */
uint64_t pressure_total(void);

/* Returns true if the process has a limit of address space. */
bool pressure_limits_addresses(void);

/* The memory that a driver for CPUs (PoCL and LLVM) takes before it computes. */
#define PRESSURE_OF_CPU_DRIVER ((uint64_t)128 << 20)

/* Returns true if, with `bytes` more in use, less than an eighth of that total would be left. */
bool pressure_is_high(uint64_t bytes);

/* Returns true if, with `bytes` more in use, less than an eighth of a control group's limit would
 * be left. For memory of a CPU device: if the machine itself is short, the kernel ends mpgpu-serve
 * first. */
bool pressure_of_groups(uint64_t bytes);

#endif
