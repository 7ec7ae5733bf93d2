/* SPDX-License-Identifier: LGPL-3.0-or-later
 * Variables of each thread, outside static thread-local storage (TLS). The library uses at most 64
 * bytes of static TLS, because dlopen fails if little is left. Its static TLS has a pointer to the
 * thread's memory, and variables that must be writable even if no memory is left.
 *
 * A source file declares its variables as follows. Each thread gets a copy of them, all zeros at
 * first:
 *
 *     static THREAD_MEMORY struct counters counters;
 *     struct counters *c = THREAD_MEMORY_GET(counters);
 *
 * The linker collects the variables of all files, here called parts, in one section. */
#ifndef MPGPU_THREAD_MEMORY_H
#define MPGPU_THREAD_MEMORY_H

#define THREAD_MEMORY __attribute__((section("mpgpu_thread")))

/* Returns this thread's copy of a part. A thread's first call allocates memory for all parts, which
 * is released when the thread ends. Returns NULL if no memory is left. Signal handlers may call
 * it. */
#define THREAD_MEMORY_GET(part) ((__typeof__(part) *)thread_memory_get(&(part)))
void *thread_memory_get(const void *part);

/* Returns this thread's copy of a part; NULL if the thread has not yet called THREAD_MEMORY_GET
 * successfully. */
#define THREAD_MEMORY_FIND(part) ((__typeof__(part) *)thread_memory_find(&(part)))
void *thread_memory_find(const void *part);

#endif
