/* SPDX-License-Identifier: LGPL-3.0-or-later
 * The program for floats that does not depend on a pass length: passes of any length, and
 * transforms of real values. */
#define REAL float
#include "kernels/fft/mixed.h"
#include "kernels/fft/real.h"
