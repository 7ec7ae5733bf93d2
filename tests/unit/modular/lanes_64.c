/* SPDX-License-Identifier: LGPL-3.0-or-later
 * Programs for 64 words on an emulated warp. */
#define MODULAR_WORDS 64
#define PROGRAM lanes_64
#include "tests/unit/modular/lanes_body.h"
