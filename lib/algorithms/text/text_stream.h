/* SPDX-License-Identifier: LGPL-3.0-or-later
 * Reads or writes many characters of a stream under one lock.  If the thread is cancelled, a
 * cleanup handler unlocks the stream, as in getc.  A longjmp does not unlock it: so the lock must
 * not be held while the program's memory functions are called. */
#ifndef MPGPU_TEXT_STREAM_H
#define MPGPU_TEXT_STREAM_H

#include <pthread.h>
#include <stdio.h>

static inline void text_stream_unlock(void *stream) {
    funlockfile(stream);
}

/* Runs `work`, a statement that must not leave by return. */
#define TEXT_STREAM_LOCKED(stream, work)                                                           \
    do {                                                                                           \
        flockfile(stream);                                                                         \
        pthread_cleanup_push(text_stream_unlock, stream);                                          \
        work;                                                                                      \
        pthread_cleanup_pop(1);                                                                    \
    } while (0)

#endif
