/* SPDX-License-Identifier: LGPL-3.0-or-later
 * Numbers of 192 bits on the host. */
#define FIXED_WORDS 6
#define WORDS_ROWS words_rows_6
#define WORDS_NUMBERS words_numbers_6
#include "lib/fixed/words_any.h"
