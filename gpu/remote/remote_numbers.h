/* SPDX-License-Identifier: LGPL-3.0-or-later
 * Numbers that a program gives to what it knows in another process, by any thread: each is in use
 * until it is given back. */
#ifndef MPGPU_REMOTE_NUMBERS_H
#define MPGPU_REMOTE_NUMBERS_H

#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>

/* Words of a set of so many numbers, a multiple of 64.  All 0: none is in use. */
#define REMOTE_NUMBERS(count) ((count) / 64)

/* One that was not in use, below `count`; false if all are. */
bool remote_numbers_take(_Atomic uint64_t *set, unsigned count, uint32_t *number);

void remote_numbers_give(_Atomic uint64_t *set, uint32_t number);

#endif
