/* SPDX-License-Identifier: LGPL-3.0-or-later
 * The program for doubles that does not depend on a pass length: passes of any length, and
 * transforms of real values. */
#if defined(__OPENCL_VERSION__)
#pragma OPENCL EXTENSION cl_khr_fp64 : enable
#endif
#define REAL double
#define DOUBLES
#include "kernels/fft/mixed.h"
#include "kernels/fft/real.h"
