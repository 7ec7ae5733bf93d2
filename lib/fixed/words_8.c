/* SPDX-License-Identifier: LGPL-3.0-or-later
 * Numbers of 256 bits on the host. */
#define FIXED_WORDS 8
#define WORDS_ROWS words_rows_8
#define WORDS_NUMBERS words_numbers_8
#include "lib/fixed/words_any.h"
