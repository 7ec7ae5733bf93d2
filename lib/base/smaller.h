/* SPDX-License-Identifier: LGPL-3.0-or-later
 * The smaller of two numbers. */
#ifndef MPGPU_SMALLER_H
#define MPGPU_SMALLER_H

#include <stdint.h>

static inline uint64_t smaller(uint64_t a, uint64_t b) {
    return a < b ? a : b;
}

#endif
