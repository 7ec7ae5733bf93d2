/* SPDX-License-Identifier: LGPL-3.0-or-later
 * The smaller of two numbers. */
#ifndef MPGPU_MIN_H
#define MPGPU_MIN_H

#include <stdint.h>

static inline uint64_t min_u64(uint64_t a, uint64_t b) {
    return a < b ? a : b;
}

#endif
