/* SPDX-License-Identifier: LGPL-3.0-or-later
 * Random moduli for checks. */
#ifndef MPGPU_RANDOM_H
#define MPGPU_RANDOM_H

#include <stdint.h>

/* Odd, of 61 bits, another one each call.  Any thread. */
uint64_t random_modulus(void);

#endif
