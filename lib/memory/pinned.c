/* SPDX-License-Identifier: LGPL-3.0-or-later
 * A segment of the pool is locked at its first copy, and again after a fork. */
#include "config.h"

#include "lib/memory/pinned.h"

#include <pthread.h>
#include <unistd.h>

#include "lib/base/log.h"
#include "lib/memory/segments.h"
#include "lib/process/worker.h"

enum {
    MOST_REFUSALS = 3, /* then no more segments are locked */
    TOUCHERS = 8,      /* one thread touches 8 GB/s on the H200's host, eight 36 */
    PAGE = 4096,
    SERVED_FIRST = 4 << 20 /* bytes that are copied otherwise before the first is locked */
};

static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
static int refusals;

/* Makes all pages present.  Changes nothing, even while another thread writes. */
static void touch(void *begin) {
    for (size_t i = 0; i < SEGMENT_BYTES / TOUCHERS; i += PAGE)
        __atomic_fetch_or((char *)begin + i, 0, __ATOMIC_RELAXED);
}

/* By several threads: the driver would touch the pages one after the other. */
static void touch_segment(char *begin) {
    pthread_t thread[TOUCHERS];
    bool started[TOUCHERS] = {0}, several = sysconf(_SC_NPROCESSORS_ONLN) >= TOUCHERS;
    for (int i = 0; i < TOUCHERS; i++) {
        char *part = begin + (size_t)i * (SEGMENT_BYTES / TOUCHERS);
        started[i] = several && i > 0 && worker_thread(&thread[i], touch, part);
        if (!started[i] && i > 0)
            touch(part);
    }
    touch(begin);
    for (int i = 0; i < TOUCHERS; i++)
        if (started[i])
            pthread_join(thread[i], NULL);
}

static void unlock(const struct gpu_device *dev, size_t segment) {
    if (segments_pinned(segment))
        dev->backend->host_unregister(dev->impl, segments_address(segment));
    segments_set_pinned(segment, 0);
}

/* With the mutex held. */
static bool lock(const struct gpu_device *dev, size_t segment) {
    unsigned now = segments_generation();
    if (segments_pinned(segment) == now)
        return true;
    if (refusals >= MOST_REFUSALS || (dev->backend->is_served && !segments_are_shared(segment)))
        return false;
    if (segments_pinned(segment))
        unlock(dev, segment);
    else
        touch_segment(segments_address(segment));
    enum gpu_status status =
        dev->backend->host_register(dev->impl, segments_address(segment), SEGMENT_BYTES);
    if (status == GPU_OK) {
        segments_set_pinned(segment, now);
        return true;
    }
    refusals = status == GPU_ABSENT ? MOST_REFUSALS : refusals + 1;
    mpgpu_log(LOG_INFO, "the pool is not page-locked: %s", gpu_error_text());
    return false;
}

/* A program that is served and makes one product is done before its pool is locked. */
static bool is_soon(const struct gpu_device *dev, size_t bytes) {
    static _Atomic size_t all;
    return dev->backend->is_served && all < SERVED_FIRST && (all += bytes) < SERVED_FIRST;
}

bool pinned_reach(const struct gpu_device *dev, const void *p, size_t bytes) {
    if (!range_owns(p) || bytes == 0 || is_soon(dev, bytes))
        return false;
    size_t last = segments_index((const char *)p + bytes - 1);
    bool all = true;
    pthread_mutex_lock(&mutex);
    for (size_t i = segments_index(p); i <= last && all; i++)
        all = lock(dev, i);
    pthread_mutex_unlock(&mutex);
    return all;
}

size_t pinned_piece(const void *p, size_t bytes) {
    size_t left = SEGMENT_BYTES - (uintptr_t)p % SEGMENT_BYTES;
    return bytes < left ? bytes : left;
}

void pinned_release(const struct gpu_device *dev, size_t segment) {
    pthread_mutex_lock(&mutex);
    unlock(dev, segment);
    pthread_mutex_unlock(&mutex);
}

void pinned_release_all(const struct gpu_device *dev) {
    for (size_t i = 0; i < segments_most(); i++)
        pinned_release(dev, i);
    refusals = 0;
}
