/* SPDX-License-Identifier: LGPL-3.0-or-later
 * Random numbers for checks. Any thread may call these functions. */
#ifndef MPGPU_RANDOM_H
#define MPGPU_RANDOM_H

#include <stdint.h>

/* Returns 64 random bits, new ones at each call. */
uint64_t random_word(void);

/* Returns a random odd number of 61 bits, a new one at each call. */
uint64_t random_modulus(void);

#endif
