/* SPDX-License-Identifier: LGPL-3.0-or-later
 * The program for doubles with passes of length R: transforms, and convolutions (convolution.h). */
#if defined(__OPENCL_VERSION__)
#pragma OPENCL EXTENSION cl_khr_fp64 : enable
#endif
#define REAL double
#define DOUBLES
#include "kernels/fft/transform.h"
#if FFT_CONVOLVES(R)
#include "kernels/fft/convolution.h"
#endif
