/* SPDX-License-Identifier: LGPL-3.0-or-later
 * Whose memory this is.  A child that was made past the C library's fork (_Fork, the system calls
 * fork and clone, vfork) has our memory without our threads, with locks that nobody will open, or
 * shares it with the process that goes on.  It is known by its number, leaves what is shared as it
 * is, and computes with GMP. */
#ifndef MPGPU_PROCESS_H
#define MPGPU_PROCESS_H

#include <stdbool.h>
#include <stddef.h>

/* The caller's process is the one that memory belongs to from here on; so are children of fork.
 * Once, before there is anything to share. */
void process_begin(void);

/* Nonzero but in such a child, and before process_begin.  Takes no lock; a system call. */
bool process_is_ours(void);

/* The beginning of a file under /proc, as a text; 0 if it cannot be read.  errno stays. */
bool process_text(const char *path, char *text, size_t size);

#endif
