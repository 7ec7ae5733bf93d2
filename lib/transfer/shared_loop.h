/* SPDX-License-Identifier: LGPL-3.0-or-later
 * A loop that several threads share, for copies within host memory that a program waits for. */
#ifndef MPGPU_SHARED_LOOP_H
#define MPGPU_SHARED_LOOP_H

#include <stddef.h>

/* work(context, first, end) for parts of 0 to count - 1, each once, in any order, at any time
 * before the return; `bytes` are those of all, few of which the caller works on alone, and so where
 * no thread can be made or a handler of the program may have to see its thread
 * (lib/memory/touch.h).  The threads are gone on return. */
void shared_loop(size_t count, size_t bytes, void (*work)(void *context, size_t first, size_t end),
                 void *context);

#endif
