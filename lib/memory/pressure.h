/* SPDX-License-Identifier: LGPL-3.0-or-later
 * How much memory the system has, and whether it runs short. */
#ifndef MPGPU_PRESSURE_H
#define MPGPU_PRESSURE_H

#include <stdbool.h>
#include <stdint.h>

/* Bytes of memory that this process may use: the machine's, or what a control group or a limit of
 * the process leaves of it. */
uint64_t pressure_total(void);

/* The process has a limit of address space. */
bool pressure_limits_addresses(void);

/* What a driver for CPUs takes before it computes: PoCL and LLVM. */
#define PRESSURE_OF_CPU_DRIVER ((uint64_t)128 << 20)

/* With `bytes` more in use, less than an eighth of that total would be left to all. */
bool pressure_is_high(uint64_t bytes);

/* With `bytes` more in use, less than an eighth of a control group's limit would be left.  For
 * memory that a CPU's device takes: if the machine itself runs short, the kernel ends mpgpu-serve
 * first. */
bool pressure_of_groups(uint64_t bytes);

#endif
