/* SPDX-License-Identifier: LGPL-3.0-or-later
 * Kernels for moduli of 8 words on an emulated warp. */
#define MODULAR_WORDS 8
#define PROGRAM lanes_8
#include "tests/unit/modular/lanes_body.h"
