/* SPDX-License-Identifier: LGPL-3.0-or-later
 * Division that rounds up. */
#ifndef MPGPU_CEIL_DIV_H
#define MPGPU_CEIL_DIV_H

#include <stdint.h>

/* Returns the least number of steps of size b that cover a. a + b must not overflow. */
static inline uint64_t ceil_div(uint64_t a, uint64_t b) {
    return (a + b - 1) / b;
}

#endif
