/* SPDX-License-Identifier: LGPL-3.0-or-later
 * Programs for 16 words on an emulated warp. */
#define MODULAR_WORDS 16
#define PROGRAM lanes_16
#include "tests/unit/modular/lanes_body.h"
