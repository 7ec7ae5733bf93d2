/* SPDX-License-Identifier: LGPL-3.0-or-later
 * Which process the library's memory belongs to. A child may be made without the C library's fork:
 * by vfork, or the system calls fork and clone. Such a child shares the memory with its parent, or
 * has a copy in which locks may stay locked. It is detected by its process number, changes nothing
 * that may be shared, and computes with GMP. */
#ifndef MPGPU_PROCESS_H
#define MPGPU_PROCESS_H

#include <stdbool.h>
#include <stddef.h>

/* Makes the calling process the owner of the library's memory. A child of fork becomes the owner of
 * its copy. Only the first call has an effect. Call it before the library has memory that a child
 * could share. */
void process_begin(void);

/* Returns false only in a child that was made without the C library's fork. Returns true before
 * process_begin. Makes one system call and takes no lock. */
bool process_is_ours(void);

/* Reads the beginning of a file under /proc as text. Returns false if it cannot be read. Preserves
 * errno. */
bool process_text(const char *path, char *text, size_t size);

/* Makes process_forbids_threads return true: this library then starts no threads. Called in a child
 * that was made without fork, because its C library is not prepared for new threads. */
void process_forbid_threads(void);
bool process_forbids_threads(void);

#endif
