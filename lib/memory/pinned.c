/* SPDX-License-Identifier: LGPL-3.0-or-later
 * Page-locks the pool (the library's host memory for results), one segment at a time, when a device
 * first copies from or to that segment. Locks a segment again after a fork. */
#include "config.h"

#include "lib/memory/pinned.h"

#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>

#include "lib/base/ceil_div.h"
#include "lib/base/log.h"
#include "lib/base/min.h"
#include "lib/memory/segments.h"
#include "lib/process/interrupted.h"
#include "lib/process/thread_pool.h"

enum {
    MOST_REFUSALS = 3, /* after this many failures, no more segments are locked */
    PAGE = 4096,
    /* bytes that a client of the server must copy before the first segment is locked */
    SERVED_FIRST = 4 << 20
};

static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
static int refusals;
static const struct gpu_backend *backend; /* the backend whose devices have locked segments */
static gpu_device_impl **owner;           /* for each segment, the device that has locked it */
static atomic_bool is_forbidden;

void pinned_forbid(void) {
    atomic_store(&is_forbidden, true);
}

bool pinned_is_forbidden(void) {
    return atomic_load(&is_forbidden);
}

struct touching {
    char *begin;
    size_t bytes; /* size of the part that each thread touches */
};

/* Touches one thread's part of a segment, so that the kernel allocates all its pages. Changes no
 * content, even while another thread writes. */
static void touch_segment_part(void *job, unsigned i) {
    const struct touching *t = job;
    size_t at = i * t->bytes, end = min_u64(at + t->bytes, SEGMENT_BYTES);
    for (; at < end; at += PAGE)
        __atomic_fetch_or(t->begin + at, 0, __ATOMIC_RELAXED);
}

/* Touches a segment with several threads before the driver locks it, because the driver would touch
 * the pages one after the other. */
static void touch_segment(char *begin) {
    unsigned threads = thread_pool_width();
    struct touching t = {begin, ceil_div(SEGMENT_BYTES / PAGE, threads) * PAGE};
    thread_pool_run(threads, touch_segment_part, &t);
}

/* The segment that the server is locking; there is none if sent.channel is 0. Locking takes 10 ms.
 * Until then, transfers copy the segment's memory like memory that is not locked. The segment
 * already counts as locked, so that nobody returns its memory to the system. */
static struct {
    struct gpu_sent sent;
    size_t segment;
    unsigned generation;
} asked;

/* ---- call these functions with the mutex locked */

static void count_lock_refusal(enum gpu_status status) {
    refusals = status == GPU_ABSENT ? MOST_REFUSALS : refusals + 1;
    mpgpu_log(LOG_INFO, "the pool is not page-locked: %s", gpu_error_text());
}

/* Records that a device has locked a segment, or has begun to lock it. */
static void record_locked_segment(gpu_device_impl *dev, size_t segment, unsigned now) {
    owner[segment] = dev;
    segments_set_pinned(segment, now);
}

/* Records the server's answer to a request to lock a segment. Ignores an answer to a request from
 * before a fork, because the segment then has new memory, which the server does not map. */
static void note_answer(enum gpu_status status) {
    if (status == GPU_OK || asked.generation != segments_generation())
        return;
    segments_set_pinned(asked.segment, 0);
    count_lock_refusal(status);
}

static void poll_server_lock(void) {
    enum gpu_status status;
    if (asked.sent.channel && backend->has_ended(owner[asked.segment], &asked.sent, &status))
        note_answer(status);
}

static bool server_is_locking(size_t segment) {
    return asked.sent.channel && asked.segment == segment;
}

/* Unlocks a segment. */
static void unlock(size_t segment) {
    if (server_is_locking(segment))
        note_answer(backend->await(owner[segment], &asked.sent));
    if (segments_pinned(segment))
        backend->host_unregister(owner[segment], segments_address(segment));
    segments_set_pinned(segment, 0);
}

/* Returns true if this device may lock segments: all locked segments must be locked by devices of
 * one backend. */
static bool device_may_lock(const struct gpu_device *dev) {
    if (backend && backend != dev->backend)
        return false;
    if (!owner)
        owner = calloc(segments_most(), sizeof(gpu_device_impl *));
    if (owner)
        backend = dev->backend;
    return owner && refusals < MOST_REFUSALS;
}

/* Returns true if the device can access the locked segment directly. */
static bool device_can_access_segment(const struct gpu_device *dev, size_t segment) {
    return backend == dev->backend && !server_is_locking(segment) &&
           (backend->locks_for_all || owner[segment] == dev->impl);
}

/* Asks the server to lock a segment, unless it is already locking another one. */
static void ask_to_lock(const struct gpu_device *dev, size_t segment, unsigned now) {
    if (asked.sent.channel)
        return;
    asked.segment = segment;
    asked.generation = now;
    enum gpu_status status = dev->backend->begin_register(dev->impl, segments_address(segment),
                                                          SEGMENT_BYTES, &asked.sent);
    if (status == GPU_OK)
        record_locked_segment(dev->impl, segment, now);
    else if (status != GPU_NOMEM) /* GPU_NOMEM: no channel was free, so a later call asks again */
        count_lock_refusal(status);
}

/* Locks a segment. Returns true if the device can access it directly now. Allocates memory and
 * starts threads. */
static bool lock_segment(const struct gpu_device *dev, size_t segment) {
    const unsigned now = segments_generation();
    poll_server_lock();
    if (segments_pinned(segment) == now)
        return device_can_access_segment(dev, segment);
    if (interrupted() || !device_may_lock(dev) ||
        (dev->backend->is_served && !segments_are_shared(segment)))
        return false;
    if (segments_pinned(segment))
        unlock(segment);
    else if (!dev->backend->begin_register)
        touch_segment(segments_address(segment));
    if (dev->backend->begin_register) {
        ask_to_lock(dev, segment, now);
        return false; /* not yet */
    }
    enum gpu_status status =
        dev->backend->host_register(dev->impl, segments_address(segment), SEGMENT_BYTES);
    if (status == GPU_OK)
        record_locked_segment(dev->impl, segment, now);
    else
        count_lock_refusal(status);
    return status == GPU_OK;
}

/* Returns true if a client of the server has copied less than SERVED_FIRST bytes so far: then it is
 * too soon to lock. A program that computes only one product would end before locking saves any
 * time. */
static bool is_too_early_to_lock(const struct gpu_device *dev, size_t bytes) {
    static _Atomic size_t all;
    return dev->backend->is_served && atomic_load(&all) < SERVED_FIRST &&
           atomic_fetch_add(&all, bytes) + bytes < SERVED_FIRST;
}

bool pinned_reach(const struct gpu_device *dev, const void *p, size_t bytes) {
    if (!range_owns(p) || bytes == 0 || pinned_is_forbidden() || is_too_early_to_lock(dev, bytes))
        return false;
    size_t last = segments_index((const char *)p + bytes - 1);
    bool all = true;
    pthread_mutex_lock(&mutex);
    for (size_t i = segments_index(p); i <= last && all; i++)
        all = lock_segment(dev, i);
    pthread_mutex_unlock(&mutex);
    return all;
}

void pinned_renew(void) {
    asked.sent.channel = 0;
}

size_t pinned_piece(const void *p, size_t bytes) {
    size_t left = SEGMENT_BYTES - (uintptr_t)p % SEGMENT_BYTES;
    return bytes < left ? bytes : left;
}

void pinned_release(const struct gpu_device *dev, size_t segment) {
    pthread_mutex_lock(&mutex);
    if (backend == dev->backend)
        unlock(segment);
    pthread_mutex_unlock(&mutex);
}

static void release_of(const struct gpu_device *dev, size_t segment) {
    pthread_mutex_lock(&mutex);
    if (backend == dev->backend && owner[segment] == dev->impl)
        unlock(segment);
    pthread_mutex_unlock(&mutex);
}

/* Unlocks all segments that this device has locked. If no segment remains locked, another backend
 * may lock segments next. */
void pinned_release_all(const struct gpu_device *dev) {
    struct segments_numbers n;
    struct signal_guard guard;
    for (size_t i = 0; i < segments_most(); i++)
        release_of(dev, i);
    segments_lock(&guard);
    segments_ask(&n);
    segments_unlock(&guard);
    pthread_mutex_lock(&mutex);
    refusals = 0;
    backend = n.pinned > 0 || asked.sent.channel ? backend : NULL;
    pthread_mutex_unlock(&mutex);
}
