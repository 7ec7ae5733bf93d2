/* SPDX-License-Identifier: LGPL-3.0-or-later
 * Doubles: passes of any length, transforms of real values, products of those. */
#if defined(__OPENCL_VERSION__)
#pragma OPENCL EXTENSION cl_khr_fp64 : enable
#endif
#define REAL double
#define DOUBLES
#include "kernels/fft/mixed.h"
#include "kernels/fft/real.h"
