/* SPDX-License-Identifier: LGPL-3.0-or-later
 * The streams of a device. A stream is a context with its own buffers, and runs one operation at a
 * time. If this process owns the device, it also has its own thread and queues. Several streams
 * keep the link and the device busy. The first stream is opened with the device, another one when a
 * thread finds no free stream. */
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
    /* the permission of the stream's current job to access the program's memory */
    struct lease lease;
    enum stream_state state;
    struct session_device *device; /* its device (lib/session/session_device.h) */
};

/* The streams of one device. All members except `stream` are private to lib/session/streams.c. */
struct streams {
    struct stream stream[STREAMS_MOST];
    pthread_mutex_t mutex;
    int allowed;
    void (*open)(void *stream);
    void (*reap)(struct session_device *device); /* or NULL */
    atomic_bool is_reaping;                      /* true while a thread calls `reap` */
    int64_t spin_ns;
    struct backoff_limit spinners;
    int busy;          /* busy streams */
    int want_all;      /* number of threads that wait for all streams */
    int all_are_held;  /* 1 if a thread has acquired all streams */
    int waiting;       /* number of threads that wait for one stream */
    unsigned tickets;  /* number of tickets that waiting threads have taken */
    struct event news; /* posted when a stream may have become free */
    struct streams_waiter *first, **last;
};

/* Initialises a zeroed struct. Call it once, before any other function here. Waiting threads call
 * `reap`, which releases streams whose callers have abandoned their ended jobs (by longjmp from a
 * signal handler). If `reap` is NULL, the streams' own threads release such streams. */
void streams_prepare(struct streams *s, struct session_device *device,
                     void (*reap)(struct session_device *device));

/* Acquires and returns the first stream. If has_thread, also starts its thread, and returns NULL if
 * that fails. Call it once. */
struct stream *streams_begin(struct streams *s, bool has_thread);

/* Allows up to `most` streams from now on. A thread that finds no free stream then gets a new one,
 * which open(stream) opens: in the new stream's thread, or in the calling thread if the first
 * stream has no thread. Starts all threads now, because streams_acquire_one may be called in a
 * signal handler that has interrupted malloc. Up to `spinners` waiting threads spin for
 * `spin_seconds` before they sleep. */
void streams_allow(struct streams *s, int most, void (*open)(void *stream), int spinners,
                   double spin_seconds);

/* Acquires a stream. Threads get streams in the order of their calls. Returns NULL after `seconds`
 * in which no stream became free and no stream's thread made progress; 0 means no limit. */
struct stream *streams_acquire_one(struct streams *s, double seconds);

/* Waits until the job of this stream, which the job's caller has abandoned, has ended. Returns
 * false after `seconds`; 0 means no limit. */
bool streams_await_reaped(struct streams *s, struct stream *stream, double seconds);

/* Releases a stream. A stream that is not `usable` is never acquired again. */
void streams_release_one(struct streams *s, struct stream *stream, bool usable);

/* Sets whether the calling thread counts as the owner of the streams that it has acquired. While a
 * signal handler runs, it must not count as their owner (lib/process/signal_guard.h). Releases no
 * stream. */
void streams_set_acquired(bool is_acquired);

/* In a child of fork: resets the mutex and the list of waiting threads. The child acquires none of
 * the parent's streams. */
void streams_forget(struct streams *s);

/* Waits until no other thread has a stream, and acquires all streams. Returns false if event_clock
 * reaches `end` before that. During the wait, no thread acquires a stream. */
bool streams_acquire_all(struct streams *s, int64_t end);
void streams_release_all(struct streams *s);

/* Returns true if the calling thread has acquired a stream of any device. */
bool streams_are_acquired(void);

/* Returns the number of acquired streams, without those of streams_acquire_all. */
int streams_busy(struct streams *s);

/* Returns the number of streams that operations can use. */
int streams_count(struct streams *s);

#endif
