/* SPDX-License-Identifier: LGPL-3.0-or-later
 * How much memory the system has, and whether it is running short. */
#ifndef MPGPU_PRESSURE_H
#define MPGPU_PRESSURE_H

#include <stdint.h>

/* Bytes of memory that this process may hope for: the machine's, or less where a control
 * group or a limit of the process says so. */
uint64_t pressure_total(void);

/* Has the process a limit of address space? */
int pressure_on_addresses(void);

/* Would it be rude to take `bytes` more?  So it is if less than an eighth of that total
 * would be left to all.  With 0: is it time to give back? */
int pressure_is_high(uint64_t bytes);

#endif
