/* SPDX-License-Identifier: LGPL-3.0-or-later
 * Random numbers for checks.  Any thread. */
#ifndef MPGPU_RANDOM_H
#define MPGPU_RANDOM_H

#include <stdint.h>

/* 64 bits, other ones each call. */
uint64_t random_word(void);

/* Odd, of 61 bits, another one each call. */
uint64_t random_modulus(void);

#endif
