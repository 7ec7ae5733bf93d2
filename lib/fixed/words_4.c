/* SPDX-License-Identifier: LGPL-3.0-or-later
 * Numbers of 128 bits on the host. */
#define FIXED_WORDS 4
#define WORDS_ROWS words_rows_4
#define WORDS_NUMBERS words_numbers_4
#include "lib/fixed/words_any.h"
