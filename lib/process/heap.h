/* SPDX-License-Identifier: LGPL-3.0-or-later
 * Memory that the library allocates for itself without the program's malloc. In GNU Common Lisp
 * malloc may collect garbage during a GMP call, and leave the call by longjmp. The link of the
 * shared library redirects its calls of malloc to compat/libc/allocate.c, which calls the functions
 * of this header if heap_is_needed() returns true. All functions may be called in any thread, in
 * signal handlers and in children of fork. They take no lock; only the first heap_is_needed takes
 * the dynamic linker's. */
#ifndef MPGPU_HEAP_H
#define MPGPU_HEAP_H

#include <stdbool.h>
#include <stddef.h>

/* Returns true if malloc, free, posix_memalign and aligned_alloc are not all defined by the same
 * object. The malloc of such a program must not be called during a GMP call, and a driver could not
 * allocate aligned memory. */
bool heap_is_needed(void);

/* Return a block of at least `bytes` bytes with undefined content. It is aligned to 16 bytes, or to
 * `alignment`, a power of two. On failure return NULL and set errno to ENOMEM. */
void *heap_alloc(size_t bytes);
void *heap_alloc_aligned(size_t alignment, size_t bytes);

/* Resizes a block, and moves it if necessary. On failure returns NULL and leaves the block
 * unchanged. */
void *heap_resize(void *p, size_t bytes);

void heap_free(void *p);

/* Returns true if p is a block of this heap. */
bool heap_owns(const void *p);

#endif
