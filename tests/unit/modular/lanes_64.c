/* SPDX-License-Identifier: LGPL-3.0-or-later
 * Kernels for moduli of 64 words on an emulated warp. */
#define MODULAR_WORDS 64
#define PROGRAM lanes_64
#include "tests/unit/modular/lanes_body.h"
