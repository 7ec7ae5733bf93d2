/* SPDX-License-Identifier: LGPL-3.0-or-later
 * The streams of a device: contexts, each with its own thread, queues and buffers, so that the
 * operations of several threads keep link and device busy. A stream serves one operation at a time.
 * The first is opened with the device, another when a thread finds none free. */
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
    struct hold hold; /* of the thread that has acquired the stream */
    enum stream_state state;
    struct session_device *device; /* its device (lib/session/session_device.h) */
};

/* All fields but `stream` are private to lib/session/streams.c. */
struct streams {
    struct stream stream[STREAMS_MOST];
    pthread_mutex_t mutex;
    int allowed;
    void (*open)(void *stream);
    void (*reap)(struct session_device *device); /* or NULL */
    atomic_bool is_reaping;                      /* one thread is in `reap` */
    int64_t spin_ns;
    struct backoff_limit spinners;
    int busy;          /* busy streams */
    int want_all;      /* threads that wait for all streams */
    int all_are_held;  /* one thread has all streams */
    int waiting;       /* threads that wait for one stream */
    unsigned tickets;  /* taken by waiting threads */
    struct event news; /* posted when a stream may be free */
    struct streams_waiter *first, **last;
};

/* Initialises a zeroed struct. Call it once, before any other function here. `reap` releases
 * streams whose threads have left a job that has ended; waiting threads call it. NULL: the streams'
 * threads do it. */
void streams_prepare(struct streams *s, struct session_device *device,
                     void (*reap)(struct session_device *device));

/* Acquires and returns the first stream. has_thread: starts its thread; returns NULL if that fails.
 * Call it once. */
struct stream *streams_begin(struct streams *s, bool has_thread);

/* Allows up to `most` streams from now on. If none is free, calls `open` with a new, acquired
 * stream: in the new stream's thread, or in the calling thread if the first stream has none. The
 * threads start here, because a caller of streams_acquire_one may be a signal handler that
 * interrupted malloc.
 *
 * Up to `spinners` waiting threads spin for `spin_seconds` before they sleep. */
void streams_allow(struct streams *s, int most, void (*open)(void *stream), int spinners,
                   double spin_seconds);

/* Acquires a stream, in the order in which threads asked. Returns NULL if for `seconds` (0: no
 * limit) no stream became free and no stream's thread showed progress. */
struct stream *streams_acquire_one(struct streams *s, double seconds);

/* Waits until the job of this stream, which its thread has left, has ended. Returns false after
 * `seconds` (0: no limit). */
bool streams_await_reaped(struct streams *s, struct stream *stream, double seconds);

/* Releases a stream. A stream that is not `usable` is never acquired again. */
void streams_release_one(struct streams *s, struct stream *stream, bool usable);

/* Marks what the calling thread has acquired as no longer held by it, or as held again
 * (lib/process/signal_guard.h). Releases nothing. */
void streams_set_acquired(bool is_acquired);

/* In a child of fork: its parent's streams are not used any more, and no thread waits for one. */
void streams_forget(struct streams *s);

/* Waits at most `seconds` until no stream is acquired, and acquires all. Returns false on timeout.
 * No thread acquires a stream during the wait. */
bool streams_acquire_all(struct streams *s, int seconds);
void streams_release_all(struct streams *s);

/* Returns true if the calling thread has acquired a stream, or all, of any device. */
bool streams_are_acquired(void);

/* Returns the count of acquired streams. */
int streams_busy(struct streams *s);

/* Returns the count of usable streams. */
int streams_count(struct streams *s);

#endif
