/* SPDX-License-Identifier: LGPL-3.0-or-later
 * Quotients by divisors of 32 words on an emulated warp. */
#define MODULAR_WORDS 32
#define PROGRAM divide_32
#include "tests/unit/modular/divide_lanes_body.h"
