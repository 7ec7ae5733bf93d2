/* SPDX-License-Identifier: LGPL-3.0-or-later
 * The Mandelbrot set on the host by numbers of 256 bits. */
#define FIXED_WORDS 8
#define MANDELBROT_ROWS mandelbrot_rows_8
#include "lib/fixed/mandelbrot_rows.h"
