/* SPDX-License-Identifier: LGPL-3.0-or-later
 * Which streams are acquired.  A stream is CLOSED until a thread begins to open it, then BUSY and
 * FREE by turns; FAILED, if it could not be opened. */
#include "config.h"

#include "lib/session/streams.h"

#include <pthread.h>

#include "lib/base/started.h"
#include "lib/process/backoff.h"
#include "lib/process/signal_guard.h"

static LARGE_ZERO struct stream streams[STREAMS_MOST];
static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
static int allowed = 1;
static void (*open_stream)(void *stream);
static int64_t spin_ns;
static struct backoff_limit spinners;
static int busy;          /* streams that are */
static int want_all;      /* threads that wait for all */
static int all_are_held;  /* by one thread */
static struct event news; /* that a stream may be free */
static _Thread_local bool held;

/* Threads that wait for one stream, the first of them first. */
struct waiter {
    struct waiter *next;
    struct stream *stream; /* that it has been given, busy */
    struct event come;
};
static struct waiter *first, **last = &first;

static struct stream *make_busy(struct stream *stream) {
    stream->state = STREAM_BUSY;
    busy++;
    return stream;
}

static struct stream *find(enum stream_state state) {
    for (int i = 0; i < allowed; i++)
        if (streams[i].state == state)
            return &streams[i];
    return NULL;
}

/* Nobody is given a stream while a thread has all, or waits for all. */
static bool is_kept(void) {
    return want_all > 0 || all_are_held;
}

static void remove_waiter(struct waiter **place) {
    if (last == &(*place)->next)
        last = place;
    *place = (*place)->next;
}

/* Free streams to those that wait.  Each is told while the mutex is locked, which it locks before
 * it goes on. */
static void hand_over(void) {
    struct stream *stream;
    while (first && !is_kept() && (stream = find(STREAM_FREE))) {
        struct waiter *w = first;
        remove_waiter(&first);
        w->stream = make_busy(stream);
        event_post(&w->come);
    }
}

static void unlock_and_tell(void) {
    hand_over();
    pthread_mutex_unlock(&mutex);
    event_post(&news);
}

/* With a thread, or not to be used. */
static void prepare(struct stream *stream) {
    stream->executor = stream->executor ? stream->executor : executor_start();
    stream->state = stream->executor ? STREAM_CLOSED : STREAM_FAILED;
}

struct stream *streams_begin(void) {
    pthread_mutex_lock(&mutex);
    prepare(&streams[0]);
    struct stream *stream = streams[0].executor ? make_busy(&streams[0]) : NULL;
    pthread_mutex_unlock(&mutex);
    return stream;
}

void streams_allow(int most, void (*open)(void *stream), int most_spinners, double seconds) {
    pthread_mutex_lock(&mutex);
    allowed = most < 1 ? 1 : most > STREAMS_MOST ? STREAMS_MOST : most;
    for (int i = 1; i < allowed; i++)
        if (streams[i].state == STREAM_CLOSED)
            prepare(&streams[i]);
    open_stream = open;
    spin_ns = event_nanoseconds(seconds);
    atomic_store(&spinners.most, most_spinners);
    pthread_mutex_unlock(&mutex);
}

/* Where none is free, another is opened if there may be one. */
static void open_another(void) {
    struct stream *closed = find(STREAM_CLOSED);
    if (first && closed && !is_kept())
        executor_post(make_busy(closed)->executor, open_stream, closed);
}

/* For an event, with the mutex free meanwhile: spinning, unless enough threads spin; then asleep,
 * at most for so many nanoseconds. */
static void wait_unlocked(struct backoff *b, struct event *e, unsigned value, int64_t ns) {
    pthread_mutex_unlock(&mutex);
    backoff_wait(b, e, value, ns);
    if (b->spin_ns == 0) /* it has slept */
        signal_guard_let_pass();
    pthread_mutex_lock(&mutex);
}

/* What tells that streams come to an end: news, and signs of life. */
struct life {
    unsigned news, signs;
    int64_t since;
};

/* Has there been neither for so long? */
static bool is_over(struct life *life, int64_t most) {
    unsigned signs = executor_progress_count(), count = event_count(&news);
    int64_t now = event_clock();
    if (life->since == 0 || life->news != count || life->signs != signs)
        *life = (struct life){count, signs, now};
    return most > 0 && now - life->since >= most;
}

/* No longer in the queue. */
static void leave(struct waiter *w) {
    for (struct waiter **place = &first; *place; place = &(*place)->next) {
        if (*place == w) {
            remove_waiter(place);
            return;
        }
    }
}

struct stream *streams_acquire_one(double seconds) {
    int64_t most = event_nanoseconds(seconds);
    struct life life = {0};
    struct waiter w = {0};
    pthread_mutex_lock(&mutex);
    struct backoff b = {.spin_ns = spin_ns, .limit = &spinners};
    *last = &w;
    last = &w.next;
    hand_over();
    open_another();
    while (!w.stream && !is_over(&life, most))
        wait_unlocked(&b, &w.come, 1, SIGNAL_GUARD_LOOK_NS);
    if (!w.stream)
        leave(&w);
    pthread_mutex_unlock(&mutex);
    held = w.stream != NULL;
    return w.stream;
}

void streams_release_one(struct stream *stream, bool usable) {
    pthread_mutex_lock(&mutex);
    stream->state = usable ? STREAM_FREE : STREAM_FAILED;
    busy--;
    unlock_and_tell();
    held = 0;
}

bool streams_acquire_all(int seconds) {
    int64_t end = event_clock() + seconds * (int64_t)1000000000, left;
    pthread_mutex_lock(&mutex);
    want_all++;
    while ((busy > 0 || all_are_held) && (left = end - event_clock()) > 0)
        wait_unlocked(&(struct backoff){0}, &news, event_count(&news) + 1, left);
    want_all--;
    int done = held = !busy && !all_are_held;
    all_are_held |= done;
    unlock_and_tell();
    return done;
}

void streams_release_all(void) {
    pthread_mutex_lock(&mutex);
    all_are_held = held = 0;
    unlock_and_tell();
}

bool streams_are_acquired(void) {
    return held;
}

int streams_busy(void) {
    pthread_mutex_lock(&mutex);
    int count = busy;
    pthread_mutex_unlock(&mutex);
    return count;
}

int streams_count(void) {
    int count = 0;
    pthread_mutex_lock(&mutex);
    for (int i = 0; i < STREAMS_MOST; i++)
        count += streams[i].state == STREAM_BUSY || streams[i].state == STREAM_FREE;
    pthread_mutex_unlock(&mutex);
    return count;
}

struct stream *streams_get(int i) {
    return &streams[i];
}
