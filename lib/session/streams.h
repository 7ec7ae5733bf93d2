/* SPDX-License-Identifier: LGPL-3.0-or-later
 * The streams of a device: contexts, each with its own thread, queues and buffers, so that the
 * operations of several threads keep link and device busy together.  A stream serves one
 * operation at a time.  The first is opened with the device, another when a thread has
 * found none free. */
#ifndef MPGPU_STREAMS_H
#define MPGPU_STREAMS_H

#include <pthread.h>
#include <stdbool.h>

#include "lib/device/context.h"
#include "lib/process/backoff.h"
#include "lib/process/executor.h"
#include "lib/process/hold.h"

enum { STREAMS_MOST = 4 };

enum stream_state { STREAM_CLOSED, STREAM_BUSY, STREAM_FREE, STREAM_FAILED };

struct stream {
    struct context context;
    struct executor *executor;
    struct hold hold; /* of the thread that has acquired it */
    enum stream_state state;
    struct session_device *device; /* whose it is (lib/session/session_device.h) */
};

/* But for `stream` all is lib/session/streams.c's. */
struct streams {
    struct stream stream[STREAMS_MOST];
    pthread_mutex_t mutex;
    int allowed;
    void (*open)(void *stream);
    void (*reap)(struct session_device *device); /* or NULL */
    atomic_bool is_reaping;                      /* by one thread */
    int64_t spin_ns;
    struct backoff_limit spinners;
    int busy;          /* streams that are */
    int want_all;      /* threads that wait for all */
    int all_are_held;  /* by one thread */
    int waiting;       /* threads that wait for one */
    unsigned tickets;  /* that such threads have taken */
    struct event news; /* that a stream may be free */
    struct streams_waiter *first, **last;
};

/* From zeros, before all others, by one thread.  `reap` releases streams of jobs that their threads
 * have left, and that have ended; threads that wait for a stream call it.  NULL: the streams'
 * threads do it. */
void streams_prepare(struct streams *s, struct session_device *device,
                     void (*reap)(struct session_device *device));

/* The first stream, acquired.  has_thread: with a thread of its own; NULL if there can be none.
 * Once. */
struct stream *streams_begin(struct streams *s, bool has_thread);

/* Allow up to `most` streams from now on.  Where none is free, `open` is called with a new one,
 * acquired, in its own thread, or in the calling thread if the first stream has none.  The threads
 * start here: a caller of streams_acquire_one may be a handler of a signal that came inside malloc.
 *
 * Up to `spinners` threads that wait for a stream spin for `spin_seconds` before they sleep. */
void streams_allow(struct streams *s, int most, void (*open)(void *stream), int spinners,
                   double spin_seconds);

/* A free stream; threads that wait for one get them in the order in which they came.  NULL if for
 * `seconds` (0: for ever) none came free and no stream's thread showed progress. */
struct stream *streams_acquire_one(struct streams *s, double seconds);

/* Waits until the job of this stream, which its thread has left, has ended; false if that takes
 * longer than so many seconds (0: for ever). */
bool streams_await_reaped(struct streams *s, struct stream *stream, double seconds);

/* The other way.  A stream that is not `usable` is never acquired again. */
void streams_release_one(struct streams *s, struct stream *stream, bool usable);

/* The calling thread lets go of what it has acquired, or takes it back
 * (lib/process/signal_guard.h); nothing is released. */
void streams_set_acquired(bool is_acquired);

/* In a child of fork: its streams are not used any more, and nobody waits for one. */
void streams_forget(struct streams *s);

/* Wait for at most `seconds` until no stream is acquired, and acquire all; false if that took
 * longer.  Nobody acquires one meanwhile. */
bool streams_acquire_all(struct streams *s, int seconds);
void streams_release_all(struct streams *s);

/* Has the calling thread acquired a stream, or all, of any device? */
bool streams_are_acquired(void);

/* How many are acquired. */
int streams_busy(struct streams *s);

/* How many can be used. */
int streams_count(struct streams *s);

#endif
