/* SPDX-License-Identifier: LGPL-3.0-or-later
 * Memory of the program whose pages a handler of its own makes accessible when they are first
 * touched: lazy pages, write barriers of collectors.
 *
 * Such a handler has to run where it would with GMP alone: in the thread that has called.  So that
 * thread touches operands and results first, before it takes a lock or a stream of ours: the
 * handler may leave by longjmp.  Threads of ours keep SIGSEGV and SIGBUS blocked all the same.
 * There the handler would find no thread-local data of its program, and a longjmp would put two
 * threads on one stack: that computes wrong numbers, while a page that another thread takes back
 * during the work ends the program by SIGSEGV. */
#ifndef MPGPU_TOUCH_H
#define MPGPU_TOUCH_H

#include <stddef.h>

struct touch {
    const void *p;
    size_t bytes;
    int is_written; /* a result */
};

/* Reads a byte of each page of the operands, and writes one of each page of the results as it is;
 * nothing of the pool, and nothing where the program has no handler.  0 where the handler has taken
 * pages back meanwhile: then all of it is to be done in this thread, by GMP. */
int touch_all(const struct touch *touches, size_t count);

#endif
