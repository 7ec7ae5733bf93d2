/* SPDX-License-Identifier: LGPL-3.0-or-later
 * Streams: contexts on one device, each with its own thread, queues and buffers, so that the
 * operations of several threads keep link and device busy together.  A stream serves one
 * operation at a time.  The first is opened with the device, another when a thread has
 * found none free. */
#ifndef MPGPU_STREAMS_H
#define MPGPU_STREAMS_H

#include <stdbool.h>

#include "lib/device/context.h"
#include "lib/process/executor.h"

enum { STREAMS_MOST = 4 };

enum stream_state { STREAM_CLOSED, STREAM_BUSY, STREAM_FREE, STREAM_FAILED };

struct stream {
    struct context context;
    struct executor *executor;
    enum stream_state state;
    int small; /* what it is taken for */
};

/* The first stream, taken, with its thread.  Once; NULL if there can be no thread. */
struct stream *streams_begin(void);

/* So many streams are allowed from now on; who finds none free calls `open` with a new one,
 * taken, in that one's thread.  The threads are made here, since who finds none free may be a
 * handler of a signal that came inside malloc.  Of operations below so many bytes one at a time
 * is served: such are held up by the driver's calls, and two at once would only be in one
 * another's way.  Of the threads that wait, so many watch for that many seconds before they
 * sleep. */
void streams_allow(int most, size_t small_bytes, void (*open)(void *stream), int watchers,
                   double watch_seconds);

/* A free stream for an operation of so many bytes; waits for one.  The calling thread then
 * holds it.  NULL if for so many seconds (0: for ever) no stream came free and nobody was seen at
 * work on one, nor waiting for its work. */
struct stream *stream_acquire(size_t bytes, double seconds);

/* Give it back; not `fit`: it will not be used any more. */
void stream_release(struct stream *stream, int fit);

/* Wait until no stream is taken and hold them all, at most some seconds; 0 if that was too
 * short.  Returns soon, since nobody takes a stream meanwhile. */
bool streams_acquire(int seconds);
void streams_release(void);

/* Does the calling thread hold a stream, or all? */
bool streams_are_acquired(void);

/* How many can be used, and number i of all, used or not. */
int streams_count(void);
struct stream *streams_get(int i);

#endif
