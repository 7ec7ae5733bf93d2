/* SPDX-License-Identifier: LGPL-3.0-or-later
 * Quotients by divisors of 64 words on an emulated warp. */
#define MODULAR_WORDS 64
#define PROGRAM divide_64
#include "tests/unit/modular/divide_lanes_body.h"
