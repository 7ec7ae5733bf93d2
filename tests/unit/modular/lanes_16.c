/* SPDX-License-Identifier: LGPL-3.0-or-later
 * Kernels for moduli of 16 words on an emulated warp. */
#define MODULAR_WORDS 16
#define PROGRAM lanes_16
#include "tests/unit/modular/lanes_body.h"
