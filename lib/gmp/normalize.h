/* SPDX-License-Identifier: LGPL-3.0-or-later
 * The size of a number without the zero limbs at its top. */
#ifndef MPGPU_NORMALIZE_H
#define MPGPU_NORMALIZE_H

#include <gmp.h>
#include <stddef.h>

/* The limbs of {p, n} that count: 0 for zero. */
static inline size_t normalize(mp_srcptr p, size_t n) {
    while (n > 0 && p[n - 1] == 0)
        n--;
    return n;
}

#endif
