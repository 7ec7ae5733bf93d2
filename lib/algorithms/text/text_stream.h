/* SPDX-License-Identifier: LGPL-3.0-or-later
 * Many characters of a stream under one lock, which a thread that is cancelled gives back, as
 * getc does.  A longjmp does not: so memory functions of the program are not called meanwhile. */
#ifndef MPGPU_TEXT_STREAM_H
#define MPGPU_TEXT_STREAM_H

#include <pthread.h>
#include <stdio.h>

static inline void text_stream_unlock(void *stream) {
    funlockfile(stream);
}

/* `work`, a statement that is not to leave by return. */
#define TEXT_STREAM_LOCKED(stream, work)                                                           \
    do {                                                                                           \
        flockfile(stream);                                                                         \
        pthread_cleanup_push(text_stream_unlock, stream);                                          \
        work;                                                                                      \
        pthread_cleanup_pop(1);                                                                    \
    } while (0)

#endif
