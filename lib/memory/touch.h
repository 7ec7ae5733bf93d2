/* SPDX-License-Identifier: LGPL-3.0-or-later
 * Reads or rewrites one byte of each page of operands and results before an operation ("touches"
 * them). Some programs handle SIGSEGV to make pages accessible at their first use: lazy pages,
 * write barriers of garbage collectors. Such a handler must run in the calling thread, as with GMP
 * alone. That thread touches the memory before it acquires a lock or a stream, because the handler
 * may leave by longjmp.
 *
 * This library's own threads block SIGSEGV and SIGBUS. In such a thread, the handler would lack the
 * program's thread-local data, and a longjmp would put two threads on one stack. If another thread
 * makes a page inaccessible during the operation, SIGSEGV ends the program. */
#ifndef MPGPU_TOUCH_H
#define MPGPU_TOUCH_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct touch {
    const void *p;
    size_t bytes;
    bool is_written; /* a result */
};

/* Reads a byte of each page of the operands, and rewrites a byte of each page of the results. Skips
 * the pool's memory. Does nothing if the program has no handler of page faults. Returns false if
 * pages have become inaccessible again: GMP must then compute in this thread. */
bool touch_all(const struct touch *touches, size_t count);

/* Rewrites a byte of each page of the result {p, bytes} that is not in memory yet, so that a later
 * write needs no page fault. Advises large pages, as for results of a device. Returns the thread's
 * processor time for this in nanoseconds; 0 if all pages were in memory. */
uint64_t touch_missing(void *p, size_t bytes);

#endif
