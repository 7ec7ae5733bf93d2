/* SPDX-License-Identifier: LGPL-3.0-or-later
 * Defines `real`, the table of GMP's own functions. Programs of this package that intercept nothing
 * leave it empty. */
#include "lib/gmp/real.h"

struct real real;
