/* SPDX-License-Identifier: LGPL-3.0-or-later
 * Which process our memory belongs to.  A child that was not made by the C library's fork (but by
 * _Fork, vfork, or the system calls fork and clone) has a copy of our memory without our threads,
 * with locks that stay locked, or shares it with its parent.  Such a child is told by its process
 * number.  It changes nothing that may be shared, and computes with GMP. */
#ifndef MPGPU_PROCESS_H
#define MPGPU_PROCESS_H

#include <stdbool.h>
#include <stddef.h>

/* From here on the memory belongs to the calling process, and a child of fork owns its copy. Before
 * there is anything to share; any number of times. */
void process_begin(void);

/* False in such a child alone; true before process_begin.  A system call, without a lock. */
bool process_is_ours(void);

/* The beginning of a file under /proc, as a text; false if it cannot be read.  Keeps errno. */
bool process_text(const char *path, char *text, size_t size);

/* From here on this process has no thread but the calling one: it is a child that its C library has
 * not prepared for others. */
void process_forbid_threads(void);
bool process_forbids_threads(void);

#endif
