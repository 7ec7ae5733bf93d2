/* SPDX-License-Identifier: LGPL-3.0-or-later
 * Kernels for moduli of 256 words on an emulated warp. */
#define MODULAR_WORDS 256
#define PROGRAM lanes_256
#include "tests/unit/modular/lanes_body.h"
