/* SPDX-License-Identifier: LGPL-3.0-or-later
 * The program for floats with passes of length R: transforms. */
#define REAL float
#include "kernels/fft/transform.h"
