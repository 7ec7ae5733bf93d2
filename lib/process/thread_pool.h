/* SPDX-License-Identifier: LGPL-3.0-or-later
 * A pool of threads that compute parts of a job together with the calling thread: copies, touching
 * of pages, sieving, the shards of several devices. The pool starts a thread when a part first
 * needs it. A pool thread uses the CPUs that its caller may use. A child of fork has its own pool,
 * empty at first.
 *
 * After a job, the thread spins for up to 0.5 ms before it sleeps, if the open device computes
 * without the CPU. If no device was opened, the thread ends after its part. */
#ifndef MPGPU_THREAD_POOL_H
#define MPGPU_THREAD_POOL_H

#include <stdbool.h>
#include <stddef.h>

enum {
    THREAD_POOL_PARTS = 16, /* the most parts of one job */
    /* on an H200's host, one thread copies 12.6 GB/s and eight threads copy 44 GB/s */
    THREAD_POOL_WIDTH = 8
};

/* Returns how many threads, including the caller, should compute a job that uses CPUs all the time:
 * half of the CPUs that the caller may use, rounded up, or 2 if there are 2; at most
 * THREAD_POOL_WIDTH. More threads would slow down the program. Returns 1, without a system call, if
 * the program has announced a filter of system calls. */
unsigned thread_pool_width(void);

/* Returns how many threads, at least `width`, should compute a job that reads or writes `bytes`
 * bytes of memory. These are more than `width` if the bytes are many: up to all CPUs but one,
 * without those of pool threads that work for other callers, at most THREAD_POOL_PARTS. */
unsigned thread_pool_widen(unsigned width, size_t bytes);

/* Calls work(job, i) once for each i from 0 to count - 1, and returns after all calls have
 * returned; count is from 1 to THREAD_POOL_PARTS. The calling thread computes part 0, and then the
 * parts that no pool thread has begun. So a part may wait only for something that part 0 does
 * before it returns. Any thread may call it, also inside a part. Signals of the program wait,
 * except those whose default action ends it (lib/process/signal_guard.h). */
void thread_pool_run(unsigned count, void (*work)(void *job, unsigned i), void *job);

/* Does the same as thread_pool_run, but with a thread for each part, so that parts may wait for one
 * another. Returns false and calls nothing if there are too few threads. */
bool thread_pool_try(unsigned count, void (*work)(void *job, unsigned i), void *job);

/* Calls work(context, first, end) for ranges that together cover 0 to count - 1 once, in any order,
 * in thread_pool_widen(thread_pool_width(), bytes) threads. `bytes` is the size of the memory that
 * the whole loop accesses.
 * Signal handlers of the program run between rounds of 32 MB. The calling thread works alone below
 * 1 MB. It also works alone if the program handles page faults: the handler may have to run in that
 * thread (lib/memory/touch.h). */
void thread_pool_loop(size_t count, size_t bytes,
                      void (*work)(void *context, size_t first, size_t end), void *context);

/* Does the same as thread_pool_loop, and calls before(context) once in the calling thread, while
 * the pool threads compute. The calling thread takes part in the loop after that. If it works
 * alone, it calls `before` first. */
void thread_pool_loop_beside(size_t count, size_t bytes,
                             void (*work)(void *context, size_t first, size_t end),
                             void (*before)(void *context), void *context);

#endif
