/* SPDX-License-Identifier: LGPL-3.0-or-later
 * Where variables and functions stand.  Each page that is touched while a program starts is a fault
 * of 1 to 3 us: what is used then stands together, apart from what is used by a device only.  The
 * linker sorts sections by name for that (Makefile.am). */
#ifndef MPGPU_STARTED_H
#define MPGPU_STARTED_H

/* Kilobytes that are 0 at first, and that small programs leave alone. */
#define LARGE_ZERO __attribute__((section(".bss.large")))

/* The same of other values. */
#define LARGE_DATA __attribute__((section(".data.large")))

/* Small variables and texts that constructors use: beside pointers, on a page that is written
 * anyway.  So texts are no constants. */
#define USED_AT_START __attribute__((section(".data.start")))

/* Called by constructors, besides them themselves, which the compiler places so. */
#define AT_START __attribute__((section(".text.startup")))

#endif
