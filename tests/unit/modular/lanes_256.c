/* SPDX-License-Identifier: LGPL-3.0-or-later
 * The kernels for moduli of up to 256 words, run on a warp that is emulated on the host. */
#define MODULAR_WORDS 256
#define PROGRAM lanes_256
#include "tests/unit/modular/lanes_body.h"
