/* SPDX-License-Identifier: LGPL-3.0-or-later
 * The Mandelbrot set on the host by numbers of 192 bits. */
#define FIXED_WORDS 6
#define MANDELBROT_ROWS mandelbrot_rows_6
#include "lib/fixed/mandelbrot_rows.h"
