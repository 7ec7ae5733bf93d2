/* SPDX-License-Identifier: LGPL-3.0-or-later
 * Quotients by divisors of 16 words on an emulated warp. */
#define MODULAR_WORDS 16
#define PROGRAM divide_16
#include "tests/unit/modular/divide_lanes_body.h"
