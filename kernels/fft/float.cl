/* SPDX-License-Identifier: LGPL-3.0-or-later
 * Transforms of floats. */
#define REAL float
#include "kernels/fft/transform.h"
