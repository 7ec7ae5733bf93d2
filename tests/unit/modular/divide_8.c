/* SPDX-License-Identifier: LGPL-3.0-or-later
 * The kernel for quotients by divisors of up to 8 words, run on a warp that is emulated on the
 * host. */
#define MODULAR_WORDS 8
#define PROGRAM divide_8
#include "tests/unit/modular/divide_lanes_body.h"
