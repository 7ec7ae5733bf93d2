/* SPDX-License-Identifier: LGPL-3.0-or-later
 * Quotients by divisors of 8 words on an emulated warp. */
#define MODULAR_WORDS 8
#define PROGRAM divide_8
#include "tests/unit/modular/divide_lanes_body.h"
