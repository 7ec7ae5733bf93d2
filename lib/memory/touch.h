/* SPDX-License-Identifier: LGPL-3.0-or-later
 * The program's memory, where a signal handler makes pages accessible at their first touch: lazy
 * pages, write barriers of garbage collectors.
 *
 * Such a handler must run in the calling thread, as with GMP alone.  So that thread touches
 * operands and results before it acquires a lock or a stream: the handler may leave by longjmp.
 *
 * Our own threads block SIGSEGV and SIGBUS.  There the handler would miss the program's
 * thread-local data, and a longjmp would put two threads on one stack and give wrong results.  A
 * page that another thread withdraws during the work ends the program by SIGSEGV. */
#ifndef MPGPU_TOUCH_H
#define MPGPU_TOUCH_H

#include <stdbool.h>
#include <stddef.h>

struct touch {
    const void *p;
    size_t bytes;
    bool is_written; /* a result */
};

/* Reads a byte of each page of the operands, and writes back a byte of each page of the results.
 * Skips the pool's memory, and does nothing where the program has no handler.  False where the
 * handler has withdrawn pages meanwhile: then GMP must compute in this thread. */
bool touch_all(const struct touch *touches, size_t count);

#endif
