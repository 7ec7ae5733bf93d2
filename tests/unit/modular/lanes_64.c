/* SPDX-License-Identifier: LGPL-3.0-or-later
 * The kernels for moduli of up to 64 words, run on a warp that is emulated on the host. */
#define MODULAR_WORDS 64
#define PROGRAM lanes_64
#include "tests/unit/modular/lanes_body.h"
