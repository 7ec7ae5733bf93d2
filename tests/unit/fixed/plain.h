/* SPDX-License-Identifier: LGPL-3.0-or-later
 * Declares the functions of lib/fixed/words_any.h, compiled with the arithmetic on 32-bit words
 * that the kernels use (kernels/fixed/fixed_plain.h, fixed_square.h). */
#ifndef MPGPU_TEST_FIXED_PLAIN_H
#define MPGPU_TEST_FIXED_PLAIN_H

#include "lib/fixed/words.h"

words_rows plain_rows_4, plain_rows_6, plain_rows_8;
words_numbers plain_numbers_4, plain_numbers_6, plain_numbers_8;

#endif
