/* SPDX-License-Identifier: LGPL-3.0-or-later
 * The connection to the server mpgpu-serve, on the program's side. */
#include "config.h"

#include "gpu/served/served_channel.h"

#include <errno.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <time.h>
#include <unistd.h>

#include "gpu/error.h"
#include "gpu/futex.h"
#include "gpu/host/pages.h"
#include "gpu/served/served.h"
#include "gpu/served/served_host.h"
#include "gpu/served/served_socket.h"
#include "gpu/served/served_wait.h"

/* ---- the counters of a channel's ring, on the program's side */

static bool served_ring_has(struct served_channel *c, uint32_t count) {
    return (int32_t)(atomic_load(&c->served) - count) >= 0;
}

/* Sleeps until `count` requests are served, at most `ns` nanoseconds.  No wake-up is lost: the
 * server reads is_waiting after it has increased `served`; the client reads `served` after it has
 * set is_waiting. */
static void served_ring_sleep(struct served_channel *c, uint32_t count, int64_t ns) {
    uint32_t seen = atomic_load(&c->served);
    atomic_store(&c->wanted, count);
    atomic_store(&c->is_waiting, 1);
    if (!served_ring_has(c, count))
        futex_sleep(&c->served, seen, ns);
    atomic_store(&c->is_waiting, 0);
}

/* Wakes the server if it sleeps. Does not clear is_asleep: if the client cleared it, the server
 * could sleep with the flag unset. */
static void served_ring_push(struct served_channel *c) {
    if (atomic_load(&c->is_asleep))
        futex_wake(&c->posted);
}

/* Nanoseconds between two checks of a waiting thread whether the server still lives and whether the
 * program is ending. */
static const int64_t look_ns = 50000000;
/* Nanoseconds between two checks of the connection's own thread whether the server lives, unless a
 * waiting thread requests a check. */
static const int64_t watch_ns = 10000000000;
/* If a waiting thread wakes up later than this, its process must have been stopped, and the time
 * does not count. */
static const int64_t late_ns = 1000000000;

static struct served_shared *_Atomic shared; /* NULL: not connected */
static atomic_bool lost; /* the server has ended, or no longer serves this program */
static atomic_bool spins;
static _Atomic int64_t patience = INT64_MAX;
static void (*_Atomic look_at_signals)(void);
static atomic_int users;        /* number of open devices of the server */
static atomic_bool has_watcher; /* the connection's own thread checks whether the server lives */
/* a futex, which is incremented to request a check whether the server lives */
static atomic_uint looks;
static pthread_mutex_t mutex; /* of channel 0 */
static atomic_uint taken; /* channels with a request in progress, a bit each; without channel 0 */
static atomic_uint is_served; /* channels to which the server has assigned a thread, a bit each */
static uint32_t seen;         /* value of `served` of channel 0 when it was last read */

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

void gpu_served_set_patience(int64_t ns, void (*look_function)(void)) {
    atomic_store(&patience, ns);
    atomic_store(&look_at_signals, look_function);
}

/* ---- waits */

/* Reads /proc. */
static void look(struct served_shared *s) {
    if (atomic_load(&s->is_dropped) || !served_lives((pid_t)s->process, s->begun))
        atomic_store(&lost, true);
}

/* Returns false if the server was found dead. The search in /proc is made by the connection's own
 * thread, because seccomp may forbid the calling thread to open files. This function only wakes
 * that thread; a later call returns the result. If there is no such thread, the calling thread
 * searches. */
static bool lives(struct served_shared *s) {
    static _Atomic int64_t latest;
    const int64_t now = served_clock();
    if (now - atomic_load(&latest) < look_ns / 2)
        return !atomic_load(&lost);
    atomic_store(&latest, now);
    if (atomic_load(&has_watcher)) {
        atomic_fetch_add(&looks, 1);
        futex_wake(&looks);
    } else {
        look(s);
    }
    return !atomic_load(&lost);
}

void gpu_served_keep_connection(void) {
    struct served_shared *s;
    atomic_store(&has_watcher, true);
    while ((s = served_memory())) {
        atomic_store(&s->has_watcher, 1);
        const unsigned seen_looks = atomic_load(&looks);
        look(s);
        futex_sleep(&looks, seen_looks, watch_ns);
    }
    atomic_store(&has_watcher, false);
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

static enum gpu_status give_up(void) {
    atomic_store(&lost, true);
    return gpu_fail(GPU_FAILED, "mpgpu-serve does not answer");
}

/* Returns true if a wait that began at *begun has taken longer than the limit of
 * gpu_served_set_patience. Time in which this process was stopped does not count. */
static bool is_over(int64_t *begun, int64_t *looked) {
    void (*look_function)(void) = atomic_load(&look_at_signals);
    if (look_function)
        look_function();
    const int64_t now = served_clock();
    if (now - *looked > look_ns + late_ns)
        *begun = now;
    *looked = now;
    return now - *begun >= atomic_load(&patience);
}

static enum gpu_status wait_served(struct served_shared *s, struct served_channel *c,
                                   uint32_t count) {
    struct served_wait wait = served_wait_begin(atomic_load(&spins), false);
    int64_t begun = 0, looked = 0;
    while (!served_ring_has(c, count)) {
        if (served_wait_spin(&wait))
            continue;
        looked = looked ? looked : served_clock();
        begun = begun ? begun : looked;
        served_ring_sleep(c, count, look_ns);
        if (served_ring_has(c, count))
            break;
        if (gpu_stopped() || !lives(s))
            return failed();
        if (is_over(&begun, &looked))
            return give_up();
    }
    return GPU_OK;
}

/* ---- sending requests in a channel that this thread has taken */

static void put(struct served_channel *c, const struct served_request *request) {
    const uint32_t place = atomic_load(&c->posted);
    c->ring[place % SERVED_RING] = *request;
    atomic_store(&c->posted, place + 1);
    served_ring_push(c);
}

static enum gpu_status answer_of(const struct served_channel *c, uint64_t *value) {
    if (value)
        *value = c->value;
    return c->status == GPU_OK ? GPU_OK : gpu_fail(c->status, "%.*s", SERVED_TEXT - 1, c->text);
}

static enum gpu_status ask(struct served_shared *s, unsigned channel,
                           const struct served_request *request, uint64_t *value) {
    struct served_channel *c = &s->channel[channel];
    put(c, request);
    enum gpu_status status = wait_served(s, c, atomic_load(&c->posted));
    return status == GPU_OK ? answer_of(c, value) : status;
}

/* ---- channel 0, which all threads share under a mutex: short requests, and requests without an
 * answer */

static enum gpu_status ask_first(struct served_shared *s, const struct served_request *request,
                                 uint64_t *value) {
    pthread_mutex_lock(&mutex);
    enum gpu_status status = ask(s, 0, request, value);
    pthread_mutex_unlock(&mutex);
    return status;
}

/* Returns true if the channel's ring has room for a request.  The caller holds the mutex. */
static bool has_room(const struct served_channel *c) {
    const uint32_t place = atomic_load(&c->posted);
    if (place - seen >= SERVED_RING / 2)
        seen = atomic_load(&c->served);
    return place - seen < SERVED_RING;
}

enum gpu_status served_post(const struct served_request *request) {
    struct served_shared *s = served_memory();
    if (!s)
        return failed();
    struct served_channel *c = &s->channel[0];
    pthread_mutex_lock(&mutex);
    enum gpu_status status =
        has_room(c) ? GPU_OK : wait_served(s, c, atomic_load(&c->posted) - SERVED_RING / 2);
    if (status == GPU_OK)
        put(c, request);
    pthread_mutex_unlock(&mutex);
    return status;
}

bool served_try_post(const struct served_request *request) {
    struct served_shared *s = served_memory();
    if (!s || pthread_mutex_trylock(&mutex) != 0)
        return false;
    const bool sends = has_room(&s->channel[0]);
    if (sends)
        put(&s->channel[0], request);
    pthread_mutex_unlock(&mutex);
    return sends;
}

/* ---- channels other than channel 0: each has one thread, and one request at a time */

static unsigned bit_of(unsigned channel) {
    return 1u << channel;
}

static void release(unsigned channel) {
    atomic_fetch_and(&taken, ~bit_of(channel));
}

/* Makes the server assign a thread to the channel. Fails if the server has no thread left. */
static enum gpu_status begin_channel(struct served_shared *s, unsigned channel) {
    const struct served_request request = {.op = SERVED_CHANNEL, .a = {channel}};
    if (atomic_load(&is_served) & bit_of(channel))
        return GPU_OK;
    enum gpu_status status = ask_first(s, &request, NULL);
    if (status == GPU_OK)
        atomic_fetch_or(&is_served, bit_of(channel));
    else
        release(channel);
    return status;
}

/* Takes the lowest free channel: its server thread was busy most recently and may still spin. Fails
 * with GPU_NOMEM if all channels are taken. */
static enum gpu_status take(struct served_shared *s, unsigned *channel) {
    for (*channel = 1; *channel < SERVED_CHANNELS; ++*channel)
        if (!(atomic_fetch_or(&taken, bit_of(*channel)) & bit_of(*channel)))
            return begin_channel(s, *channel);
    return gpu_fail(GPU_NOMEM, "too many requests at once");
}

enum gpu_status served_call(const struct served_request *request, uint64_t *value) {
    struct served_shared *s = served_memory();
    unsigned channel;
    if (!s)
        return failed();
    enum gpu_status status = take(s, &channel);
    if (status == GPU_NOMEM)
        return ask_first(s, request, value);
    if (status != GPU_OK)
        return status;
    status = ask(s, channel, request, value);
    release(channel);
    return status;
}

static enum gpu_status wait_serving(struct served_shared *s, const struct gpu_sent *sent,
                                    enum gpu_served (*serve)(void *of, int64_t ns), void *of) {
    struct served_channel *c = &s->channel[sent->channel];
    enum gpu_served serves = GPU_SERVED_NOTHING;
    while (serves != GPU_SERVED_ALL && !served_ring_has(c, sent->count)) {
        serves = serve(of, look_ns);
        if (serves == GPU_SERVED_LEFT)
            return GPU_LEFT;
        if (serves == GPU_SERVED_NOTHING && !served_ring_has(c, sent->count) &&
            (gpu_stopped() || !lives(s)))
            return failed();
    }
    return wait_served(s, c, sent->count);
}

static enum gpu_status send(struct served_shared *s, const struct served_request *request,
                            struct gpu_sent *sent) {
    unsigned channel;
    *sent = (struct gpu_sent){.channel = 0};
    if (!s)
        return failed();
    enum gpu_status status = take(s, &channel);
    if (status != GPU_OK)
        return status;
    *sent = (struct gpu_sent){channel, atomic_load(&s->channel[channel].posted) + 1};
    put(&s->channel[channel], request);
    return GPU_OK;
}

/* Ends a request that was sent, and frees its channel. If `status` is GPU_OK, returns the
 * server's answer, otherwise `status`. */
static enum gpu_status end(struct served_shared *s, struct gpu_sent *sent, enum gpu_status status,
                           uint64_t *value) {
    if (status == GPU_OK)
        status = answer_of(&s->channel[sent->channel], value);
    release(sent->channel);
    sent->channel = 0;
    return status;
}

enum gpu_status served_call_serving(const struct served_request *request, struct gpu_sent *sent,
                                    uint64_t *value, enum gpu_served (*serve)(void *of, int64_t ns),
                                    void *of) {
    struct served_shared *s = served_memory();
    enum gpu_status status = send(s, request, sent);
    if (status != GPU_OK)
        return status;
    status = wait_serving(s, sent, serve, of);
    return status == GPU_LEFT ? status : end(s, sent, status, value);
}

enum gpu_status served_begin_call(const struct served_request *request, struct gpu_sent *sent) {
    return send(served_memory(), request, sent);
}

bool served_has_answered(struct gpu_sent *sent, enum gpu_status *status) {
    struct served_shared *s = served_memory();
    const bool is_there = s && sent->channel > 0;
    const bool has_answer = is_there && served_ring_has(&s->channel[sent->channel], sent->count);
    if (is_there && !has_answer && lives(s))
        return false;
    *status = end(s, sent, has_answer ? GPU_OK : failed(), NULL);
    return true;
}

enum gpu_status served_await_answer(struct gpu_sent *sent) {
    struct served_shared *s = served_memory();
    return end(s, sent, s ? wait_served(s, &s->channel[sent->channel], sent->count) : failed(),
               NULL);
}

bool gpu_served_is_lost(void) {
    struct served_shared *s = served_memory();
    return gpu_stopped() || !s || !lives(s);
}

/* ---- the connection */

/* Locks the mutex `life`, by which the server sees that this thread lives. Being robust, the
 * mutex becomes free when the thread or its program ends. */
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
    pthread_mutex_init(&mutex, NULL);
    begin_life(s);
    seen = 0;
    atomic_store(&taken, 0);
    atomic_store(&is_served, 0);
    atomic_store(&shared, s);
    look(s);
    if (!atomic_load(&lost))
        return ask_first(s, &(struct served_request){.op = SERVED_CHANNEL}, NULL);
    served_disconnect();
    return gpu_fail(GPU_ABSENT, "mpgpu-serve's process cannot be seen from here");
}

/* Connects to the server. Fails if an earlier connection was lost, because memory of that
 * connection may still be in use. */
enum gpu_status served_connect(struct served_welcome *welcome) {
    struct served_hello hello = {.purpose = SERVED_OPEN};
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

/* Disconnects from the server. If the server was lost, leaves its memory mapped, because other
 * threads may still read it. */
void served_disconnect(void) {
    struct served_shared *s = served_memory();
    if (!s)
        return;
    if (ask_first(s, &(struct served_request){.op = SERVED_LEAVE}, NULL) != GPU_OK)
        return;
    atomic_store(&shared, NULL);
    pthread_mutex_unlock(&s->life);
    munmap(s, SERVED_BYTES);
}

/* Forgets the parent's connection in a child of fork. There is nothing to unmap, because the
 * child does not inherit memory shared with the server. */
void gpu_served_renew(void) {
    atomic_store(&shared, NULL);
    atomic_store(&lost, false);
    atomic_store(&has_watcher, false);
    atomic_store(&users, 0);
    served_host_renew();
}
