/* SPDX-License-Identifier: LGPL-3.0-or-later
 * Touches the program's memory, in case a signal handler makes pages accessible at their first
 * touch: lazy pages, write barriers of garbage collectors.
 *
 * Such a handler must run in the calling thread, as with GMP alone. So that thread touches operands
 * and results before it acquires a lock or a stream: the handler may leave by longjmp.
 *
 * This library's threads block SIGSEGV and SIGBUS. In them, the handler would lack the program's
 * thread-local data, and a longjmp would put two threads on one stack and cause wrong results. If
 * another thread withdraws a page during the work, the program ends by SIGSEGV. */
#ifndef MPGPU_TOUCH_H
#define MPGPU_TOUCH_H

#include <stdbool.h>
#include <stddef.h>

struct touch {
    const void *p;
    size_t bytes;
    bool is_written; /* a result */
};

/* Reads a byte of each page of the operands, and rewrites a byte of each page of the results. Skips
 * the pool's memory, and does nothing if the program has no such handler. Returns false if the
 * handler has withdrawn pages since: GMP must then compute in this thread. */
bool touch_all(const struct touch *touches, size_t count);

#endif
