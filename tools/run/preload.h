/* SPDX-License-Identifier: LGPL-3.0-or-later
 * LD_PRELOAD of the program. */
#ifndef MPGPU_PRELOAD_H
#define MPGPU_PRELOAD_H

/* Prints one line for each library of `list`, an LD_PRELOAD that this process was started with,
 * that the dynamic linker cannot load. */
void run_preload_check(const char *list);

/* Returns `list` with `library` behind its entries, but in front of a libgmp, since the library
 * must precede that.  The caller frees the result. */
char *run_preload_add(const char *list, const char *library);

#endif
