/* SPDX-License-Identifier: LGPL-3.0-or-later
 * Arithmetic on numbers of 192 bits on the host, by 32-bit words, as with a compiler that has no
 * 128-bit integers. */
#define FIXED_PLAIN
#define FIXED_WORDS 6
#define WORDS_ROWS plain_rows_6
#define WORDS_NUMBERS plain_numbers_6
#include "tests/unit/fixed/plain.h"

#include "lib/fixed/words_any.h"
