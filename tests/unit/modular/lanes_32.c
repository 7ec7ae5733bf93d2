/* SPDX-License-Identifier: LGPL-3.0-or-later
 * Kernels for moduli of 32 words on an emulated warp. */
#define MODULAR_WORDS 32
#define PROGRAM lanes_32
#include "tests/unit/modular/lanes_body.h"
