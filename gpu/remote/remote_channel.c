/* SPDX-License-Identifier: LGPL-3.0-or-later
 * The channel, on the program's side. */
#include "config.h"

#include "gpu/remote/remote_channel.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "gpu/error.h"
#include "gpu/futex.h"
#include "gpu/remote/remote_backend.h"
#include "gpu/remote/remote_start.h"

/* Between looks whether the other side lives, and the program goes on. */
static const int64_t look_ns = 50000000;

static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER; /* for all of this */
static struct remote_shared *shared;                      /* NULL: there is none */
static bool lost;                                         /* it has ended by itself */
static bool refused;                                      /* none could be started */
static unsigned generation;                               /* how many have been */

/* The lock of a process that has ended can be had. */
static bool lives(void) {
    int error = pthread_mutex_trylock(&shared->life);
    if (error == 0 || error == EOWNERDEAD)
        lost = true;
    return !lost;
}

static enum gpu_status failed(void) {
    return gpu_fail(GPU_FAILED, "%s",
                    gpu_stopped() ? "the program is ending" : "the device's process has ended");
}

/* What the processes have built, as this one has seen it: those that have been left, and now. */
static unsigned left_wanted, left_done;
static atomic_uint seen_wanted, seen_done;

static void look_at_builds(void) {
    atomic_store(&seen_wanted, left_wanted + atomic_load(&shared->builds.wanted));
    atomic_store(&seen_done, left_done + atomic_load(&shared->builds.done));
}

void remote_builds(unsigned *wanted, unsigned *done) {
    *wanted += atomic_load(&seen_wanted);
    *done += atomic_load(&seen_done);
}

static bool is_served(uint32_t count) {
    return (int32_t)(atomic_load(&shared->served) - count) >= 0;
}

/* Until so many requests have been served. */
static enum gpu_status wait_served(uint32_t count) {
    while (!is_served(count)) {
        uint32_t seen = atomic_load(&shared->served);
        atomic_store(&shared->wanted, count);
        if (!is_served(count))
            futex_sleep(&shared->served, seen, look_ns);
        look_at_builds();
        if (!is_served(count) && (gpu_stopped() || !lives()))
            return failed();
    }
    return GPU_OK;
}

/* The flag is the other side's alone.  Cleared here, for a request that it has seen already, it
 * could go to sleep without it, and no later push would wake it. */
static void push(void) {
    if (atomic_load(&shared->is_asleep))
        futex_wake(&shared->posted);
}

/* Pushes where the ring is full, or half of it. */
static enum gpu_status put(const struct remote_request *request, bool at_once) {
    uint32_t place = atomic_load(&shared->posted);
    uint32_t waiting = place - atomic_load(&shared->served);
    if (waiting == REMOTE_RING) {
        push();
        enum gpu_status status = wait_served(place - REMOTE_RING / 2);
        if (status != GPU_OK)
            return status;
    }
    shared->ring[place % REMOTE_RING] = *request;
    atomic_store(&shared->posted, place + 1);
    if (at_once || waiting >= REMOTE_RING / 2)
        push();
    return GPU_OK;
}

enum gpu_status remote_post(const struct remote_request *request, bool at_once) {
    pthread_mutex_lock(&mutex);
    enum gpu_status status = shared && !lost ? put(request, at_once) : failed();
    pthread_mutex_unlock(&mutex);
    return status;
}

static void pass_messages(void) {
    for (uint32_t at = 0; at < shared->log_bytes; at += 2 + (uint32_t)strlen(&shared->log[at + 1]))
        gpu_log(shared->log[at], "%s", &shared->log[at + 1]);
    shared->log_bytes = 0;
}

static enum gpu_status ask(const struct remote_request *request, uint64_t *value) {
    enum gpu_status status = put(request, true);
    if (status == GPU_OK)
        status = wait_served(atomic_load(&shared->posted));
    if (status != GPU_OK)
        return status;
    look_at_builds();
    pass_messages();
    if (value)
        *value = shared->value;
    return shared->status == GPU_OK ? GPU_OK : gpu_fail(shared->status, "%s", shared->text);
}

/* One that could not be started is not tried again. */
static enum gpu_status start(void) {
    static char why[REMOTE_TEXT];
    if (refused)
        return gpu_fail(GPU_ABSENT, "%s", why);
    enum gpu_status status = remote_start(&shared);
    generation += status == GPU_OK;
    refused = status != GPU_OK && !gpu_stopped();
    if (refused)
        snprintf(why, sizeof why, "%s", gpu_error_text());
    return status;
}

enum gpu_status remote_call(const struct remote_request *request, bool starts, uint64_t *value) {
    enum gpu_status status = GPU_OK;
    pthread_mutex_lock(&mutex);
    if (!shared && starts)
        status = start();
    if (status == GPU_OK)
        status = shared && !lost ? ask(request, value) : failed();
    pthread_mutex_unlock(&mutex);
    return status;
}

void remote_look_at_builds(void) {
    pthread_mutex_lock(&mutex);
    if (shared && !lost)
        look_at_builds();
    pthread_mutex_unlock(&mutex);
}

unsigned remote_generation(void) {
    pthread_mutex_lock(&mutex);
    unsigned now = shared && !lost ? generation : 0;
    pthread_mutex_unlock(&mutex);
    return now;
}

const struct gpu_caps *remote_caps(void) {
    return shared->caps;
}

int64_t remote_offset(const void *host, size_t bytes) {
    if (!shared)
        return -1;
    size_t at = (size_t)((const char *)host - remote_memory());
    return at < REMOTE_HOST_BYTES && bytes <= REMOTE_HOST_BYTES - at ? (int64_t)at : -1;
}

char *remote_memory(void) {
    return remote_host(shared);
}

/* The memory of one that has ended by itself stays: somebody may yet read it. */
void remote_leave(void) {
    const struct remote_request close = {.op = REMOTE_CLOSE};
    pthread_mutex_lock(&mutex);
    if (shared && !lost && ask(&close, NULL) == GPU_OK) {
        left_wanted = atomic_load(&seen_wanted);
        left_done = atomic_load(&seen_done);
        remote_unmap(shared);
        shared = NULL;
    }
    pthread_mutex_unlock(&mutex);
}
