/* SPDX-License-Identifier: LGPL-3.0-or-later
 * The connection with the server, on the program's side. */
#include "config.h"

#include "gpu/served/served_channel.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <time.h>
#include <unistd.h>

#include "gpu/error.h"
#include "gpu/host/pages.h"
#include "gpu/served/served_host.h"
#include "gpu/served/served_ring.h"
#include "gpu/served/served_socket.h"
#include "gpu/served/served_wait.h"

/* Between looks whether the server lives, and the program goes on. */
static const int64_t look_ns = 50000000;

static struct served_shared *_Atomic shared; /* NULL: there is none */
static atomic_bool lost;                     /* the server has ended, or dropped this program */
static atomic_bool spins;
static atomic_int users;                       /* devices that are open */
static atomic_uint channels;                   /* given to threads so far */
static pthread_mutex_t mutex[SERVED_CHANNELS]; /* of each */
static pthread_mutex_t opening = PTHREAD_MUTEX_INITIALIZER;
static bool is_served[SERVED_CHANNELS]; /* the server has a thread for it */
static uint32_t seen[SERVED_CHANNELS];  /* that many requests were served, at the last look */
static THREAD_MEMORY unsigned own;      /* of this thread, from 1 on */

struct served_shared *served_memory(void) {
    struct served_shared *s = atomic_load(&shared);
    if (s && atomic_load(&s->is_dropped))
        atomic_store(&lost, true);
    return atomic_load(&lost) ? NULL : s;
}

int served_users(int more) {
    return atomic_fetch_add(&users, more) + more;
}

void served_set_spin(bool may_spin) {
    atomic_store(&spins, may_spin);
}

/* ---- requests */

static bool lives(struct served_shared *s) {
    if (atomic_load(&s->is_dropped) || !served_lives((pid_t)s->process, s->begun))
        atomic_store(&lost, true);
    return !atomic_load(&lost);
}

static enum gpu_status failed(void) {
    struct served_shared *s = atomic_load(&shared);
    char why[SERVED_TEXT] = "mpgpu-serve has ended";
    if (gpu_stopped())
        return gpu_fail(GPU_FAILED, "the program is ending");
    if (s && atomic_load(&s->is_dropped))
        snprintf(why, sizeof why, "mpgpu-serve: %.*s", SERVED_TEXT - 20, s->why);
    return gpu_fail(GPU_FAILED, "%s", why);
}

static enum gpu_status wait_served(struct served_shared *s, struct served_channel *c,
                                   uint32_t count) {
    struct served_wait wait = served_wait_begin(atomic_load(&spins));
    while (!served_ring_has(c, count)) {
        if (served_wait_spin(&wait))
            continue;
        served_ring_sleep(c, count, look_ns);
        if (!served_ring_has(c, count) && (gpu_stopped() || !lives(s)))
            return failed();
    }
    return GPU_OK;
}

/* Requests under way in a channel, or more: it is looked at only where they might fill half of the
 * ring. */
static uint32_t under_way(const struct served_channel *c, unsigned channel) {
    uint32_t place = atomic_load(&c->posted);
    if (place - seen[channel] >= SERVED_RING / 2)
        seen[channel] = atomic_load(&c->served);
    return place - seen[channel];
}

static enum gpu_status put(struct served_shared *s, unsigned channel,
                           const struct served_request *request) {
    struct served_channel *c = &s->channel[channel];
    uint32_t place = atomic_load(&c->posted), waiting = under_way(c, channel);
    if (waiting >= SERVED_RING) {
        enum gpu_status status = wait_served(s, c, place - SERVED_RING / 2);
        if (status != GPU_OK)
            return status;
    }
    c->ring[place % SERVED_RING] = *request;
    atomic_store(&c->posted, place + 1);
    served_ring_push(c);
    return GPU_OK;
}

enum gpu_status served_post(unsigned channel, const struct served_request *request) {
    struct served_shared *s = served_memory();
    if (!s)
        return failed();
    pthread_mutex_lock(&mutex[channel]);
    enum gpu_status status = put(s, channel, request);
    pthread_mutex_unlock(&mutex[channel]);
    return status;
}

static enum gpu_status answer_of(const struct served_channel *c) {
    return c->status == GPU_OK ? GPU_OK : gpu_fail(c->status, "%.*s", SERVED_TEXT - 1, c->text);
}

static enum gpu_status ask(struct served_shared *s, unsigned channel,
                           const struct served_request *request, uint64_t *value) {
    struct served_channel *c = &s->channel[channel];
    enum gpu_status status = put(s, channel, request);
    if (status == GPU_OK)
        status = wait_served(s, c, atomic_load(&c->posted));
    if (status != GPU_OK)
        return status;
    if (value)
        *value = c->value;
    return answer_of(c);
}

enum gpu_status served_call(unsigned channel, const struct served_request *request,
                            uint64_t *value) {
    struct served_shared *s = served_memory();
    if (!s)
        return failed();
    pthread_mutex_lock(&mutex[channel]);
    enum gpu_status status = ask(s, channel, request, value);
    pthread_mutex_unlock(&mutex[channel]);
    return status;
}

enum gpu_status served_call_serving(unsigned channel, const struct served_request *request,
                                    enum gpu_served (*serve)(void *of, int64_t ns), void *of) {
    struct served_shared *s = served_memory();
    if (!s)
        return failed();
    struct served_channel *c = &s->channel[channel];
    pthread_mutex_lock(&mutex[channel]);
    enum gpu_status status = put(s, channel, request);
    const uint32_t count = atomic_load(&c->posted);
    enum gpu_served serves = GPU_SERVED_NOTHING;
    while (status == GPU_OK && serves != GPU_SERVED_ALL && !served_ring_has(c, count)) {
        serves = serve(of, look_ns);
        if (serves == GPU_SERVED_NOTHING && !served_ring_has(c, count) &&
            (gpu_stopped() || !lives(s)))
            status = failed();
    }
    if (status == GPU_OK)
        status = wait_served(s, c, count);
    if (status == GPU_OK)
        status = answer_of(c);
    pthread_mutex_unlock(&mutex[channel]);
    return status;
}

bool gpu_served_is_lost(void) {
    struct served_shared *s = served_memory();
    return gpu_stopped() || !s || !lives(s);
}

static enum gpu_status drain(struct served_shared *s, unsigned channel) {
    struct served_channel *c = &s->channel[channel];
    pthread_mutex_lock(&mutex[channel]);
    served_ring_push(c);
    enum gpu_status status = wait_served(s, c, atomic_load(&c->posted));
    pthread_mutex_unlock(&mutex[channel]);
    return status;
}

enum gpu_status served_drain(void) {
    struct served_shared *s = served_memory();
    enum gpu_status status = s ? GPU_OK : failed();
    for (unsigned i = 0; i < SERVED_CHANNELS && status == GPU_OK; i++)
        if (!served_ring_is_idle(&s->channel[i]))
            status = drain(s, i);
    return status;
}

/* Whoever has the channel may wait for longer. */
static bool settle(struct served_shared *s, unsigned channel, int64_t end) {
    struct served_channel *c = &s->channel[channel];
    if (pthread_mutex_trylock(&mutex[channel]) != 0)
        return false;
    for (int64_t left; !served_ring_is_idle(c) && (left = end - served_clock()) > 0 && lives(s);) {
        served_ring_push(c);
        served_ring_sleep(c, atomic_load(&c->posted), left < look_ns ? left : look_ns);
    }
    pthread_mutex_unlock(&mutex[channel]);
    return served_ring_is_idle(c);
}

bool served_post_idle(const struct served_request *request, int64_t end) {
    struct served_shared *s = served_memory();
    bool is_idle = s != NULL;
    for (unsigned i = 0; i < SERVED_CHANNELS && is_idle; i++)
        is_idle = settle(s, i, end);
    if (!is_idle || pthread_mutex_trylock(&mutex[0]) != 0)
        return false;
    enum gpu_status status = put(s, 0, request);
    pthread_mutex_unlock(&mutex[0]);
    return status == GPU_OK;
}

/* ---- channels */

/* One that cannot be opened is done without: the first serves all. */
static unsigned open_channel(unsigned wanted) {
    const struct served_request request = {.op = SERVED_CHANNEL, .a = {wanted}};
    pthread_mutex_lock(&opening);
    if (!is_served[wanted])
        is_served[wanted] = served_call(0, &request, NULL) == GPU_OK;
    unsigned channel = is_served[wanted] ? wanted : 0;
    pthread_mutex_unlock(&opening);
    return channel;
}

unsigned served_channel_own(void) {
    unsigned *mine = THREAD_MEMORY_GET(own);
    if (!mine) /* without memory */
        return 0;
    if (!*mine)
        *mine = 1 + open_channel(atomic_fetch_add(&channels, 1) % SERVED_CHANNELS);
    return *mine - 1;
}

/* ---- the connection */

/* Free for the server to see when this thread, or its program, ends. */
static void begin_life(struct served_shared *s) {
    pthread_mutexattr_t attributes;
    pthread_mutexattr_init(&attributes);
    pthread_mutexattr_setpshared(&attributes, PTHREAD_PROCESS_SHARED);
    pthread_mutexattr_setrobust(&attributes, PTHREAD_MUTEX_ROBUST);
    pthread_mutex_init(&s->life, &attributes);
    pthread_mutexattr_destroy(&attributes);
    pthread_mutex_lock(&s->life);
}

static enum gpu_status begin(struct served_shared *s) {
    for (int i = 0; i < SERVED_CHANNELS; i++)
        pthread_mutex_init(&mutex[i], NULL);
    begin_life(s);
    memset(seen, 0, sizeof seen);
    is_served[0] = true;
    atomic_store(&shared, s);
    if (served_lives((pid_t)s->process, s->begun))
        return served_call(0, &(struct served_request){.op = SERVED_CHANNEL}, NULL);
    served_disconnect();
    return gpu_fail(GPU_ABSENT, "mpgpu-serve's process cannot be seen from here");
}

/* Lost once, it is not opened again: memory of it may still be in use. */
enum gpu_status served_connect(struct served_welcome *welcome) {
    struct served_hello hello = {.wish = SERVED_OPEN};
    int file;
    pid_t peer;
    if (atomic_load(&shared))
        return gpu_fail(GPU_ABSENT, "mpgpu-serve was lost before");
    enum gpu_status status = served_socket_ask(&hello, welcome, &file, &peer);
    void *memory = status != GPU_OK || file < 0 ? MAP_FAILED : pages_share(file, SERVED_BYTES);
    if (file >= 0)
        close(file);
    if (status != GPU_OK)
        return status;
    if (memory == MAP_FAILED)
        return gpu_fail(GPU_ABSENT, "no memory of mpgpu-serve's");
    madvise(memory, SERVED_BYTES, MADV_DONTFORK);
    return begin(memory);
}

/* The memory stays where the server is lost: somebody may yet read it. */
void served_disconnect(void) {
    struct served_shared *s = served_memory();
    if (!s)
        return;
    served_drain();
    if (served_call(0, &(struct served_request){.op = SERVED_LEAVE}, NULL) != GPU_OK)
        return;
    atomic_store(&shared, NULL);
    own = 0;
    memset(is_served, 0, sizeof is_served);
    pthread_mutex_unlock(&s->life);
    munmap(s, SERVED_BYTES);
}

/* The parent's memory is not mapped here. */
void gpu_served_renew(void) {
    pthread_mutex_init(&opening, NULL);
    atomic_store(&shared, NULL);
    atomic_store(&lost, false);
    atomic_store(&users, 0);
    memset(is_served, 0, sizeof is_served);
    own = 0;
    served_host_renew();
}
