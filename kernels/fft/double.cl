/* SPDX-License-Identifier: LGPL-3.0-or-later
 * Transforms of doubles. */
#if defined(__OPENCL_VERSION__)
#pragma OPENCL EXTENSION cl_khr_fp64 : enable
#endif
#define REAL double
#define DOUBLES
#include "kernels/fft/transform.h"
