/* SPDX-License-Identifier: LGPL-3.0-or-later
 * Sections for variables and functions that every start of a program uses, and for large data that
 * it does not. What a start uses is placed together, because each page touched costs a page fault
 * of 1 to 3 us. The linker sorts sections by name for that (Makefile.am). */
#ifndef MPGPU_STARTED_H
#define MPGPU_STARTED_H

#include "gpu/host/pages.h"

/* For arrays of kilobytes that have other initial values than 0 and are unused in small
 * programs. */
#define LARGE_DATA __attribute__((section(".data.large")))

/* For small variables and texts that constructors use. They are placed next to pointers, on a page
 * that every start writes anyway. So these texts are not declared const. */
#define USED_AT_START __attribute__((section(".data.start")))

/* For functions that constructors call; the compiler places constructors there itself. */
#define AT_START __attribute__((section(".text.startup")))

#endif
