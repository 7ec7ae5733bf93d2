/* SPDX-License-Identifier: LGPL-3.0-or-later
 * The Mandelbrot set on the host by numbers of 128 bits. */
#define FIXED_WORDS 4
#define MANDELBROT_ROWS mandelbrot_rows_4
#include "lib/fixed/mandelbrot_rows.h"
