/* SPDX-License-Identifier: LGPL-3.0-or-later
 * Quotients by divisors of 1024 words on an emulated warp. */
#define MODULAR_WORDS 1024
#define PROGRAM divide_1024
#include "tests/unit/modular/divide_lanes_body.h"
