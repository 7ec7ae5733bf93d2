/* SPDX-License-Identifier: LGPL-3.0-or-later
 * Memory that the library allocates for itself without the program's malloc. In GNU Common Lisp
 * malloc may collect garbage during a GMP call, and leave the call by longjmp.
 *
 * The link of the shared library redirects its calls of malloc and related functions to
 * compat/libc/allocate.c, which uses these functions if heap_is_needed() returns true. All
 * functions may be called in any thread, in signal handlers and in children; they take no lock. */
#ifndef MPGPU_HEAP_H
#define MPGPU_HEAP_H

#include <stdbool.h>
#include <stddef.h>

/* Returns true if the process has no complete allocator: malloc, free, posix_memalign and
 * aligned_alloc are not all defined by the same object. Such a program must not be entered by
 * malloc during a GMP call, nor can a driver allocate aligned memory in it. */
bool heap_is_needed(void);

/* Return a block of `bytes` bytes, aligned to 16 bytes or to `alignment` (a power of two); or NULL,
 * with errno set to ENOMEM. The content is undefined. */
void *heap_alloc(size_t bytes);
void *heap_alloc_aligned(size_t alignment, size_t bytes);

/* Resizes a block, moving it if necessary. Returns NULL on failure, which leaves the block
 * unchanged. */
void *heap_resize(void *p, size_t bytes);

void heap_free(void *p);

/* Returns true if p is a block of this heap. */
bool heap_owns(const void *p);

#endif
