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
};

/* The first stream, acquired, with its thread.  Once; NULL if there can be no thread. */
struct stream *streams_begin(void);

/* Allow up to `most` streams from now on.  Where none is free, `open` is called with a new one,
 * acquired, in its own thread.  The threads start here: a caller of streams_acquire_one may be a
 * handler of a signal that came inside malloc.
 *
 * Up to `spinners` threads that wait for a stream spin for `spin_seconds` before they sleep. */
void streams_allow(int most, void (*open)(void *stream), int spinners, double spin_seconds);

/* A free stream; threads that wait for one get them in the order in which they came.  NULL if for
 * `seconds` (0: for ever) none came free and no stream's thread showed progress. */
struct stream *streams_acquire_one(double seconds);

/* The other way.  A stream that is not `usable` is never acquired again. */
void streams_release_one(struct stream *stream, bool usable);

/* Wait for at most `seconds` until no stream is acquired, and acquire all; false if that took
 * longer.  Nobody acquires one meanwhile. */
bool streams_acquire_all(int seconds);
void streams_release_all(void);

/* Has the calling thread acquired a stream, or all? */
bool streams_are_acquired(void);

/* How many are acquired. */
int streams_busy(void);

/* How many can be used, and number i of all, used or not. */
int streams_count(void);
struct stream *streams_get(int i);

#endif
