/* SPDX-License-Identifier: LGPL-3.0-or-later
 * The kernel for quotients by divisors of up to 64 words, run on a warp that is emulated on the
 * host. */
#define MODULAR_WORDS 64
#define PROGRAM divide_64
#include "tests/unit/modular/divide_lanes_body.h"
