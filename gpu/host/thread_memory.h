/* SPDX-License-Identifier: LGPL-3.0-or-later
 * Variables of each thread, outside static thread-local storage (TLS).
 *
 * The C library has about 1600 bytes of static TLS for all libraries that a program opens late, and
 * dlopen fails without it.  So the library has at most 64 bytes there: one pointer to the thread's
 * memory, and what a thread must write even if no memory is left.
 *
 * An owner declares its part, of which each thread gets a copy, all zeros at first:
 *
 *     static THREAD_MEMORY struct counters counters;
 *     struct counters *c = THREAD_MEMORY_GET(counters);
 *
 * The linker collects all parts in one section, so that a part's place is known without a list. */
#ifndef MPGPU_THREAD_MEMORY_H
#define MPGPU_THREAD_MEMORY_H

#define THREAD_MEMORY __attribute__((section("mpgpu_thread")))

/* Returns this thread's copy.  The first call of a thread takes memory for all parts, which goes
 * back when the thread ends.  NULL if no memory is left.  A handler of a signal may call it. */
#define THREAD_MEMORY_GET(part) ((__typeof__(part) *)thread_memory_get(&(part)))
void *thread_memory_get(const void *part);

/* Returns this thread's copy; NULL if no THREAD_MEMORY_GET of this thread has returned one. */
#define THREAD_MEMORY_FIND(part) ((__typeof__(part) *)thread_memory_find(&(part)))
void *thread_memory_find(const void *part);

#endif
