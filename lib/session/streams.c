/* SPDX-License-Identifier: LGPL-3.0-or-later
 * Acquires and releases the streams of a device. A stream is CLOSED until a thread begins to open
 * it, then alternately BUSY and FREE; FAILED if opening failed. */
#include "config.h"

#include "lib/session/streams.h"

#include "lib/process/interrupted.h"
#include "lib/process/signal_guard.h"
#include "lib/process/stopped.h"

static _Thread_local bool held;

/* A thread that waits for a stream. Waiting threads form a list, in the order in which they have
 * asked. */
struct streams_waiter {
    struct streams_waiter *next;
    struct streams *streams;
    unsigned ticket;
    /* the stream that the thread gets, which is then BUSY; NULL until then */
    struct stream *stream;
    struct event come;
};

void streams_prepare(struct streams *s, struct session_device *device,
                     void (*reap)(struct session_device *device)) {
    s->reap = reap;
    for (int i = 0; i < STREAMS_MOST; i++)
        s->stream[i].device = device;
    pthread_mutex_init(&s->mutex, NULL);
    s->allowed = 1;
    s->last = &s->first;
}

static struct stream *make_busy(struct streams *s, struct stream *stream) {
    stream->state = STREAM_BUSY;
    s->busy++;
    return stream;
}

static struct stream *find_stream_in_state(struct streams *s, enum stream_state state) {
    for (int i = 0; i < s->allowed; i++)
        if (s->stream[i].state == state)
            return &s->stream[i];
    return NULL;
}

/* Returns true while a thread has acquired all streams or waits for all. Threads that wait for one
 * stream then get none. */
static bool all_streams_are_claimed(const struct streams *s) {
    return s->want_all > 0 || s->all_are_held;
}

static void remove_waiter(struct streams *s, struct streams_waiter **place) {
    if (s->last == &(*place)->next)
        s->last = place;
    *place = (*place)->next;
}

/* Assigns free streams to waiting threads in order, and wakes these threads. The caller has locked
 * the mutex. */
static void assign_free_streams(struct streams *s) {
    struct stream *stream;
    while (s->first && !all_streams_are_claimed(s) &&
           (stream = find_stream_in_state(s, STREAM_FREE))) {
        struct streams_waiter *w = s->first;
        remove_waiter(s, &s->first);
        s->waiting--;
        w->stream = make_busy(s, stream);
        event_post(&w->come);
    }
}

static void unlock_and_tell(struct streams *s) {
    assign_free_streams(s);
    pthread_mutex_unlock(&s->mutex);
    event_post(&s->news);
}

/* Starts the stream's thread. If no thread can be started, the stream becomes FAILED. */
static void start_stream_thread(struct stream *stream) {
    stream->executor = stream->executor ? stream->executor : executor_start();
    stream->state = stream->executor ? STREAM_CLOSED : STREAM_FAILED;
}

struct stream *streams_begin(struct streams *s, bool has_thread) {
    pthread_mutex_lock(&s->mutex);
    if (has_thread)
        start_stream_thread(&s->stream[0]);
    const bool is_there = !has_thread || s->stream[0].executor;
    struct stream *stream = is_there ? make_busy(s, &s->stream[0]) : NULL;
    pthread_mutex_unlock(&s->mutex);
    return stream;
}

static bool streams_have_threads(const struct streams *s) {
    return s->stream[0].executor != NULL;
}

void streams_allow(struct streams *s, int most, void (*open)(void *stream), int spinners,
                   double seconds) {
    pthread_mutex_lock(&s->mutex);
    s->allowed = most < 1 ? 1 : most > STREAMS_MOST ? STREAMS_MOST : most;
    for (int i = 1; i < s->allowed; i++)
        if (s->stream[i].state == STREAM_CLOSED && streams_have_threads(s))
            start_stream_thread(&s->stream[i]);
    s->open = open;
    s->spin_ns = event_nanoseconds(seconds);
    atomic_store(&s->spinners.most, spinners);
    pthread_mutex_unlock(&s->mutex);
}

/* Opens a stream in the calling thread. Unlocks the mutex during the call, because opening takes
 * long and calls malloc. */
static void open_here(struct streams *s, struct stream *stream) {
    pthread_mutex_unlock(&s->mutex);
    s->open(stream);
    pthread_mutex_lock(&s->mutex);
}

/* If a thread waits and no stream is free, begins to open another stream, if one is allowed. */
static void open_another(struct streams *s) {
    struct stream *closed = find_stream_in_state(s, STREAM_CLOSED);
    if (!s->first || !closed || all_streams_are_claimed(s))
        return;
    if (streams_have_threads(s))
        executor_post(make_busy(s, closed)->executor, s->open, closed);
    else if (!interrupted())
        open_here(s, make_busy(s, closed));
}

/* Calls s->reap, which releases streams whose jobs have ended after their callers had abandoned
 * them. The caller must not have locked the mutex. */
static void release_abandoned_streams(struct streams *s) {
    if (!s->reap || !lease_any_is_suspended() || atomic_exchange(&s->is_reaping, true))
        return;
    s->reap(s->stream[0].device);
    atomic_store(&s->is_reaping, false);
}

/* Inserts a waiting thread into the list, at the place that its ticket (number) determines. */
static void insert_waiter(struct streams *s, struct streams_waiter *w) {
    struct streams_waiter **place = &s->first;
    while (*place && (int)((*place)->ticket - w->ticket) < 0)
        place = &(*place)->next;
    w->next = *place;
    *place = w;
    if (!w->next)
        s->last = &w->next;
    s->waiting++;
}

/* Unlocks the mutex, waits for an event, and locks the mutex again. Spins first, unless enough
 * threads already spin; then sleeps for at most `ns` nanoseconds. */
static void wait_unlocked(struct streams *s, struct backoff *b, struct event *e, unsigned value,
                          int64_t ns) {
    pthread_mutex_unlock(&s->mutex);
    backoff_wait(b, e, value, ns);
    if (b->spin_ns == 0) /* signals may be pending, because the thread has slept */
        signal_guard_let_pass();
    release_abandoned_streams(s);
    pthread_mutex_lock(&s->mutex);
}

/* Shows whether streams still make progress. news: count of released streams; signs: a count that
 * grows when a stream's thread makes progress; since: the time of the last change of either. */
struct life {
    unsigned news, signs;
    int64_t since, looked;
};

/* Returns true if neither the count of released streams nor the count of progress has changed for
 * `most` nanoseconds. Time in which the process was stopped does not count. */
static bool wait_is_over(struct streams *s, struct life *life, int64_t most) {
    unsigned signs = executor_progress_count(), count = event_count(&s->news);
    bool was_stopped = stopped_since(&life->looked, SIGNAL_GUARD_LOOK_NS);
    if (life->since == 0 || was_stopped || life->news != count || life->signs != signs)
        *life = (struct life){count, signs, life->looked, life->looked};
    return most > 0 && life->looked - life->since >= most;
}

/* Removes a waiting thread from the list. Does nothing if the thread has already got a stream. */
static void remove_thread_from_waiters(struct streams *s, const struct streams_waiter *w) {
    for (struct streams_waiter **place = &s->first; *place; place = &(*place)->next) {
        if (*place == w) {
            remove_waiter(s, place);
            s->waiting--;
            return;
        }
    }
}

/* Before a signal handler of this thread runs, removes the thread from the list, so that other
 * threads get streams. resume_waiting_for_stream inserts it again. */
static bool suspend_waiting_for_stream(void *waiter) {
    struct streams_waiter *w = waiter;
    pthread_mutex_lock(&w->streams->mutex);
    bool waits = w->stream == NULL;
    if (waits)
        remove_thread_from_waiters(w->streams, w);
    pthread_mutex_unlock(&w->streams->mutex);
    return waits;
}

static bool resume_waiting_for_stream(void *waiter) {
    struct streams_waiter *w = waiter;
    pthread_mutex_lock(&w->streams->mutex);
    insert_waiter(w->streams, w);
    unlock_and_tell(w->streams);
    return true;
}

/* Returns how often, in nanoseconds, a waiting thread looks for signals. The interval grows with
 * the number of waiting threads, so that their total rate stays the same. */
static int64_t signal_check_interval(const struct streams *s) {
    int64_t ns = SIGNAL_GUARD_LOOK_NS * (int64_t)(1 + s->waiting / 4);
    return ns < SIGNAL_GUARD_LONG_NS ? ns : SIGNAL_GUARD_LONG_NS;
}

struct stream *streams_acquire_one(struct streams *s, double seconds) {
    int64_t most = event_nanoseconds(seconds);
    struct life life = {0};
    struct streams_waiter w = {.streams = s};
    struct signal_window window = {
        .suspend = suspend_waiting_for_stream, .resume = resume_waiting_for_stream, .of = &w};
    release_abandoned_streams(s);
    pthread_mutex_lock(&s->mutex);
    struct backoff b = {.spin_ns = s->spin_ns, .limit = &s->spinners};
    w.ticket = s->tickets++;
    insert_waiter(s, &w);
    assign_free_streams(s);
    open_another(s);
    signal_guard_push(&window);
    while (!w.stream && !wait_is_over(s, &life, most) && !signal_guard_is_in_child()) {
        wait_unlocked(s, &b, &w.come, 1, signal_check_interval(s));
        /* If this thread works for another process, shows that process that the thread makes
         * progress. */
        executor_progress();
    }
    signal_guard_pop(&window);
    if (!w.stream)
        remove_thread_from_waiters(s, &w);
    pthread_mutex_unlock(&s->mutex);
    held = w.stream != NULL;
    return w.stream;
}

bool streams_await_reaped(struct streams *s, struct stream *stream, double seconds) {
    const int64_t end = event_clock() + (seconds == 0 ? EVENT_FOREVER : event_nanoseconds(seconds));
    struct backoff b = {0};
    while (lease_is_abandoned(&stream->lease) && event_clock() < end &&
           !signal_guard_is_in_child()) {
        release_abandoned_streams(s);
        backoff_nap(&b);
        signal_guard_let_pass();
    }
    return !lease_is_abandoned(&stream->lease);
}

void streams_release_one(struct streams *s, struct stream *stream, bool usable) {
    pthread_mutex_lock(&s->mutex);
    stream->state = usable ? STREAM_FREE : STREAM_FAILED;
    s->busy--;
    unlock_and_tell(s);
    held = 0;
}

bool streams_acquire_all(struct streams *s, int64_t end) {
    struct signal_window closed = {.suspend = signal_guard_never};
    int64_t left;
    pthread_mutex_lock(&s->mutex);
    s->want_all++;
    signal_guard_push(&closed);
    while ((s->busy > 0 || s->all_are_held) && (left = end - event_clock()) > 0)
        wait_unlocked(s, &(struct backoff){0}, &s->news, event_count(&s->news) + 1,
                      left < signal_check_interval(s) ? left : signal_check_interval(s));
    signal_guard_pop(&closed);
    s->want_all--;
    int done = held = !s->busy && !s->all_are_held;
    s->all_are_held |= done;
    unlock_and_tell(s);
    return done;
}

void streams_release_all(struct streams *s) {
    pthread_mutex_lock(&s->mutex);
    s->all_are_held = held = 0;
    unlock_and_tell(s);
}

void streams_forget(struct streams *s) {
    pthread_mutex_init(&s->mutex, NULL);
    atomic_store(&s->is_reaping, false);
    s->first = NULL;
    s->last = &s->first;
    s->waiting = 0;
}

void streams_set_acquired(bool is_acquired) {
    held = is_acquired;
}

bool streams_are_acquired(void) {
    return held;
}

int streams_busy(struct streams *s) {
    pthread_mutex_lock(&s->mutex);
    int count = s->busy;
    pthread_mutex_unlock(&s->mutex);
    return count;
}

int streams_count(struct streams *s) {
    int count = 0;
    pthread_mutex_lock(&s->mutex);
    for (int i = 0; i < STREAMS_MOST; i++)
        count += s->stream[i].state == STREAM_BUSY || s->stream[i].state == STREAM_FREE;
    pthread_mutex_unlock(&s->mutex);
    return count;
}
