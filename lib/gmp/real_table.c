/* SPDX-License-Identifier: LGPL-3.0-or-later
 * GMP's own functions.  Programs of this package that intercept nothing leave the table empty. */
#include "lib/gmp/real.h"

struct real real;
