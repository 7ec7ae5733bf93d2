/* SPDX-License-Identifier: LGPL-3.0-or-later
 * Copies the bits of a double to a word of 64 bits, and back. */
#ifndef DOUBLE_BITS_H
#define DOUBLE_BITS_H

#include "kernels/common/platform.h"

#if defined(__CUDACC__)
#define AS_DOUBLE(x) __longlong_as_double((long long)(x))
#define AS_BITS(x) ((u64)__double_as_longlong(x))
#elif defined(__OPENCL_VERSION__)
#define AS_DOUBLE(x) as_double(x)
#define AS_BITS(x) as_ulong(x)
#else
#include <string.h>
FN double AS_DOUBLE(u64 x) {
    double r;
    memcpy(&r, &x, sizeof r);
    return r;
}
FN u64 AS_BITS(double x) {
    u64 r;
    memcpy(&r, &x, sizeof r);
    return r;
}
#endif

#endif
