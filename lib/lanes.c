/* SPDX-License-Identifier: LGPL-3.0-or-later
 * Who has which lane.  A lane is CLOSED until a thread begins to open it, then BUSY and
 * FREE by turns; FAILED, if it could not be opened. */
#include "config.h"

#include "lanes.h"

#include <pthread.h>
#include <stdatomic.h>
#include <time.h>

#include "patience.h"
#include "stats.h"

static struct lane lanes[LANES_MOST];
static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t changed = PTHREAD_COND_INITIALIZER;
static int allowed = 1;
static void (*open_lane)(void *lane);
static double watch_seconds;
static int most_watchers;
static size_t small_bytes;
static int busy;         /* lanes that are */
static int small;        /* lanes at work on something small: one at most */
static int want_all;     /* threads that wait for all */
static int all_are_held; /* by one thread */
static int sleepers, watchers;
static atomic_int freed; /* counts how often there was news; looked at without the mutex */
static _Thread_local int held;

static struct lane *make_busy(struct lane *lane) {
    lane->state = LANE_BUSY;
    busy++;
    return lane;
}

static struct lane *find(enum lane_state state) {
    for (int i = 0; i < allowed; i++)
        if (lanes[i].state == state)
            return &lanes[i];
    return NULL;
}

/* Frees the mutex, and tells the others then: who watches takes it at once. */
static void unlock_and_tell(void) {
    int are_asleep = sleepers > 0;
    pthread_mutex_unlock(&mutex);
    atomic_fetch_add(&freed, 1);
    if (are_asleep)
        pthread_cond_broadcast(&changed);
}

/* With a thread, or not to be used. */
static void prepare(struct lane *lane) {
    lane->executor = lane->executor ? lane->executor : executor_start();
    lane->state = lane->executor ? LANE_CLOSED : LANE_FAILED;
}

struct lane *lanes_begin(void) {
    pthread_mutex_lock(&mutex);
    prepare(&lanes[0]);
    struct lane *lane = lanes[0].executor ? make_busy(&lanes[0]) : NULL;
    pthread_mutex_unlock(&mutex);
    return lane;
}

void lanes_allow(int most, size_t bytes, void (*open)(void *lane), int watching, double seconds) {
    pthread_mutex_lock(&mutex);
    small_bytes = bytes;
    allowed = most < 1 ? 1 : most > LANES_MOST ? LANES_MOST : most;
    for (int i = 1; i < allowed; i++)
        if (lanes[i].state == LANE_CLOSED)
            prepare(&lanes[i]);
    open_lane = open;
    watch_seconds = seconds;
    most_watchers = watching;
    pthread_mutex_unlock(&mutex);
}

/* A free lane, or NULL; then another is opened if there may be one. */
static struct lane *try_to_take(size_t bytes) {
    struct lane *lane = find(LANE_FREE), *closed = find(LANE_CLOSED);
    int is_small = bytes < small_bytes;
    if (want_all > 0 || all_are_held || (is_small && small > 0))
        return NULL;
    if (lane) {
        lane->small = is_small;
        small += is_small;
        return make_busy(lane);
    }
    if (closed)
        executor_post(make_busy(closed)->executor, open_lane, closed);
    return NULL;
}

/* Look whether there are news, for so many seconds. */
static int watch_for(int news, double seconds) {
    for (double end = stats_clock() + seconds; stats_clock() < end;)
        for (int i = 0; i < 50; i++, patience_breath())
            if (atomic_load(&freed) != news)
                return 1;
    return 0;
}

/* The same with the mutex free meanwhile, unless enough threads do so. */
static int watch(void) {
    if (watchers >= most_watchers)
        return 0;
    int news = atomic_load(&freed);
    double seconds = watch_seconds;
    watchers++;
    pthread_mutex_unlock(&mutex);
    int come = watch_for(news, seconds);
    pthread_mutex_lock(&mutex);
    watchers--;
    return come;
}

static int wait_for_news(const struct timespec *end) {
    sleepers++;
    int result =
        end ? pthread_cond_timedwait(&changed, &mutex, end) : pthread_cond_wait(&changed, &mutex);
    sleepers--;
    return result == 0;
}

struct lane *lane_take(size_t bytes) {
    struct lane *lane;
    int awake = 1;
    pthread_mutex_lock(&mutex);
    while (!(lane = try_to_take(bytes)))
        if (awake)
            awake = watch();
        else
            wait_for_news(NULL);
    pthread_mutex_unlock(&mutex);
    held = 1;
    return lane;
}

void lane_leave(struct lane *lane, int fit) {
    pthread_mutex_lock(&mutex);
    lane->state = fit ? LANE_FREE : LANE_FAILED;
    small -= lane->small;
    lane->small = 0;
    busy--;
    unlock_and_tell();
    held = 0;
}

int lanes_hold(int seconds) {
    struct timespec end;
    clock_gettime(CLOCK_REALTIME, &end);
    end.tv_sec += seconds;
    pthread_mutex_lock(&mutex);
    want_all++;
    while ((busy > 0 || all_are_held) && wait_for_news(&end))
        continue;
    want_all--;
    int done = held = !busy && !all_are_held;
    all_are_held |= done;
    unlock_and_tell();
    return done;
}

void lanes_let_go(void) {
    pthread_mutex_lock(&mutex);
    all_are_held = held = 0;
    unlock_and_tell();
}

int lanes_are_held(void) {
    return held;
}

int lanes_count(void) {
    int count = 0;
    pthread_mutex_lock(&mutex);
    for (int i = 0; i < LANES_MOST; i++)
        count += lanes[i].state == LANE_BUSY || lanes[i].state == LANE_FREE;
    pthread_mutex_unlock(&mutex);
    return count;
}

struct lane *lanes_get(int i) {
    return &lanes[i];
}
