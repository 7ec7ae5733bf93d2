/* SPDX-License-Identifier: LGPL-3.0-or-later
 * The streams of a device. A stream is a context with its own thread, queues and buffers, and
 * serves one operation at a time. With several streams, operations of several threads keep the
 * link and the device busy. The first stream is opened with the device, another when a thread
 * finds none free. */
#ifndef MPGPU_STREAMS_H
#define MPGPU_STREAMS_H

#include <pthread.h>
#include <stdbool.h>

#include "lib/device/context.h"
#include "lib/process/backoff.h"
#include "lib/process/executor.h"
#include "lib/process/lease.h"

enum { STREAMS_MOST = 4 };

enum stream_state { STREAM_CLOSED, STREAM_BUSY, STREAM_FREE, STREAM_FAILED };

struct stream {
    struct context context;
    struct executor *executor;
    struct lease lease; /* of the job that uses the stream */
    enum stream_state state;
    struct session_device *device; /* its device (lib/session/session_device.h) */
};

/* The streams of one device. All fields but `stream` are private to lib/session/streams.c. */
struct streams {
    struct stream stream[STREAMS_MOST];
    pthread_mutex_t mutex;
    int allowed;
    void (*open)(void *stream);
    void (*reap)(struct session_device *device); /* or NULL */
    atomic_bool is_reaping;                      /* set while a thread is in `reap` */
    int64_t spin_ns;
    struct backoff_limit spinners;
    int busy;          /* busy streams */
    int want_all;      /* number of threads that wait for all streams */
    int all_are_held;  /* a thread has acquired all streams */
    int waiting;       /* number of threads that wait for one stream */
    unsigned tickets;  /* number of tickets that waiting threads have taken */
    struct event news; /* posted when a stream may have become free */
    struct streams_waiter *first, **last;
};

/* Initialises a zeroed struct. Call it once, before any other function here. `reap` releases
 * streams whose jobs were abandoned by their callers (by longjmp from a signal handler) once the
 * job has ended; waiting threads call it. NULL: the streams' own threads release them. */
void streams_prepare(struct streams *s, struct session_device *device,
                     void (*reap)(struct session_device *device));

/* Acquires and returns the first stream. has_thread: also starts its thread; returns NULL if
 * that fails. Call it once. */
struct stream *streams_begin(struct streams *s, bool has_thread);

/* Allows up to `most` streams from now on. If none is free, calls `open` with a new, acquired
 * stream: in the new stream's thread, or in the calling thread if the first stream has none. All
 * threads are started here, because a caller of streams_acquire_one may be a signal handler that
 * interrupted malloc.
 * Up to `spinners` waiting threads spin for `spin_seconds` before they sleep. */
void streams_allow(struct streams *s, int most, void (*open)(void *stream), int spinners,
                   double spin_seconds);

/* Acquires a stream; threads get streams in the order in which they asked. Returns NULL if for
 * `seconds` (0: no limit) no stream became free and no stream's thread made progress. */
struct stream *streams_acquire_one(struct streams *s, double seconds);

/* Waits until the job of this stream, which the job's caller has abandoned, has ended. Returns
 * false after `seconds` (0: no limit). */
bool streams_await_reaped(struct streams *s, struct stream *stream, double seconds);

/* Releases a stream. A stream that is not `usable` is never acquired again. */
void streams_release_one(struct streams *s, struct stream *stream, bool usable);

/* Sets whether the streams that the calling thread has acquired count as its own. A thread gives
 * this up before a signal handler runs (lib/process/signal_guard.h). Releases nothing. */
void streams_set_acquired(bool is_acquired);

/* Forgets the parent's streams in a child of fork: no thread of the child acquires one. */
void streams_forget(struct streams *s);

/* Waits at most `seconds` until no stream is acquired, and acquires all of them. Returns false
 * on timeout. During the wait, no thread acquires a stream. */
bool streams_acquire_all(struct streams *s, int seconds);
void streams_release_all(struct streams *s);

/* Returns true if the calling thread has acquired a stream of any device. */
bool streams_are_acquired(void);

/* Returns the count of acquired streams. */
int streams_busy(struct streams *s);

/* Returns the count of usable streams. */
int streams_count(struct streams *s);

#endif
