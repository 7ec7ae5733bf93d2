/* SPDX-License-Identifier: LGPL-3.0-or-later
 * Connects to the other members: a thread for each member connects, adds its devices and pings it.
 * A lost member is connected again when it answers. */
#include "config.h"

#include <errno.h>
#include <poll.h>
#include <stdio.h>
#include <string.h>
#include <sys/random.h>
#include <sys/socket.h>
#include <unistd.h>

#include "gpu/served/served_wait.h"
#include "lib/process/stopped.h"
#include "tools/serve/group/group.h"
#include "tools/serve/group/group_wire.h"

enum {
    OPEN_SECONDS = 90, /* time that a member may need to open its devices */
    PING_MS = 1000,
    SILENCE_MS = 5000, /* a member is lost if it does not answer pings for this time */
    RETRY_SECONDS = 2,
    LEADER_SECONDS = 120,
    STEP_US = 10000
};

static struct member {
    atomic_int file; /* the TCP connection to the member; -1 if there is none */
    _Atomic uint64_t link;
    const char *_Atomic fault; /* what a job has found wrong with the member, or NULL */
    atomic_bool was_tried;
    bool was_here;
} members[GROUP_RANKS];

/* If serve_device[i] belongs to another member, places[i] has that member's rank and the device's
 * index in that member. */
static struct place {
    uint32_t rank;
    unsigned device;
} places[SERVED_DEVICES];
static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER; /* of these */

static int64_t began;

static const char *host_of(uint32_t rank) {
    return group_table.peer[rank].host;
}

static uint32_t rank_of(const struct member *m) {
    return (uint32_t)(m - members);
}

/* ---- devices */

static const struct gpu_backend backends[] = {{.name = "cuda"}, {.name = "opencl"}};

static const struct gpu_backend *backend_of(const char *name) {
    for (size_t i = 0; i < sizeof backends / sizeof *backends; i++)
        if (strcmp(name, backends[i].name) == 0)
            return &backends[i];
    return NULL;
}

static int largest_index(void) {
    int index = -1;
    for (unsigned i = 0; i < serve_devices; i++)
        index = serve_device[i].dev.index > index ? serve_device[i].dev.index : index;
    return index;
}

/* Returns the index in serve_device[] of a member's device.  This is its old index if the member
 * had been connected before, otherwise a new one. */
static unsigned find_place(uint32_t rank, unsigned device, const struct gpu_caps *caps) {
    unsigned i = serve_own_devices;
    while (i < serve_devices && (places[i].rank != rank || places[i].device != device ||
                                 strcmp(serve_device[i].dev.caps.name, caps->name) != 0))
        i++;
    return i;
}

/* Terminates the texts, because another process may have sent them without a NUL. */
static void end_texts(struct served_offer *o) {
    o->backend[sizeof o->backend - 1] = o->caps.name[sizeof o->caps.name - 1] = '\0';
    o->caps.vendor[sizeof o->caps.vendor - 1] = o->caps.driver[sizeof o->caps.driver - 1] = '\0';
}

static void add_device(uint32_t rank, unsigned device, struct served_offer *o) {
    end_texts(o);
    const struct gpu_backend *backend = backend_of(o->backend);
    const unsigned i = find_place(rank, device, &o->caps);
    struct serve_device *d = &serve_device[i];
    if (!backend || i == SERVED_DEVICES || !o->caps.jobs || !o->is_there) {
        serve_log(1, "rank %u on %s: %s is left out: %s", rank, host_of(rank), o->caps.name,
                  i == SERVED_DEVICES ? "there are too many devices" : "it runs no jobs");
        return;
    }
    if (i == serve_devices) {
        d->dev =
            (struct gpu_device){.backend = backend, .caps = o->caps, .index = largest_index() + 1};
        d->dev.caps.jobs_only = d->is_members = true;
        places[i] = (struct place){rank, device};
        serve_devices++;
    }
    atomic_store(&d->is_gone, false);
    serve_log(2, "device %d: rank %u on %s: %s: %s", d->dev.index, rank, host_of(rank),
              backend->name, d->dev.caps.name);
}

static void set_gone(uint32_t rank) {
    for (unsigned i = serve_own_devices; i < serve_devices; i++)
        if (places[i].rank == rank)
            atomic_store(&serve_device[i].is_gone, true);
}

/* ---- joining */

/* Says so once. */
static void leave_out(struct member *m, const char *why) {
    if (!atomic_load(&m->was_tried))
        serve_log(1, "rank %u on %s is left out: %s", rank_of(m), host_of(rank_of(m)), why);
}

static void take(struct member *m, int file, const struct group_hello *hello,
                 struct group_welcome *w) {
    const uint32_t rank = rank_of(m);
    atomic_store(&m->fault, NULL);
    atomic_store(&m->link, group_net_open(&w->address, hello->token));
    pthread_mutex_lock(&mutex);
    for (unsigned i = 0; i < w->devices && i < SERVED_DEVICES; i++)
        add_device(rank, i, &w->offer[i]);
    pthread_mutex_unlock(&mutex);
    if (m->was_here)
        serve_log(1, "rank %u on %s is here again", rank, host_of(rank));
    m->was_here = true;
    atomic_store(&m->file, file);
}

static void join(struct member *m) {
    struct group_welcome w;
    struct group_hello hello = {.rank = 0};
    if (getrandom(hello.token, sizeof hello.token, 0) != (ssize_t)sizeof hello.token)
        return;
    int file = group_wire_call(rank_of(m), &hello, &w, OPEN_SECONDS);
    w.text[sizeof w.text - 1] = '\0';
    const char *why = file < 0             ? "it does not answer"
                      : w.status != GPU_OK ? w.text
                      : w.devices == 0     ? "it has no device"
                                           : NULL;
    if (!why) {
        take(m, file, &hello, &w);
        return;
    }
    leave_out(m, why);
    if (file >= 0)
        close(file);
}

/* ---- watching */

/* Disconnects a member.  Marks its devices as gone, so that waiting calls return. */
static void lose(struct member *m, const char *why) {
    const uint32_t rank = rank_of(m);
    serve_log(1, "rank %u on %s %s: its devices are left alone", rank, host_of(rank), why);
    set_gone(rank);
    group_net_close(atomic_load(&m->link));
    close(atomic_exchange(&m->file, -1));
}

/* Receives answers to pings.  Returns NULL, or the member's fault.  Time during which this process
 * was stopped does not count as silence, because it sent no pings. */
static const char *hear(struct member *m, int64_t *heard, int64_t *looked) {
    char some[64];
    struct pollfd file = {.fd = atomic_load(&m->file), .events = POLLIN};
    poll(&file, 1, PING_MS);
    ssize_t n = recv(file.fd, some, sizeof some, MSG_DONTWAIT);
    const int64_t now = served_clock();
    if (stopped_since(looked, PING_MS * INT64_C(1000000)) || n > 0)
        *heard = now;
    if (n == 0 || (n < 0 && errno != EAGAIN && errno != EWOULDBLOCK && errno != EINTR))
        return "has ended";
    if (now - *heard > SILENCE_MS * INT64_C(1000000))
        return "does not answer";
    return group_net_is_open(atomic_load(&m->link)) ? atomic_load(&m->fault)
                                                    : "cannot be reached by UCX";
}

static void ping(const struct member *m, char what) {
    const int file = atomic_load(&m->file);
    if (file >= 0 && send(file, &what, 1, MSG_DONTWAIT | MSG_NOSIGNAL) < 0)
        serve_log(3, "rank %u takes no ping", rank_of(m));
}

static void watch(struct member *m) {
    const char *why = NULL;
    int64_t looked = 0, pinged = 0, heard = served_clock();
    while (!why) {
        const int64_t now = served_clock();
        if (now - pinged >= PING_MS * INT64_C(1000000)) {
            ping(m, GROUP_PING);
            pinged = now;
        }
        why = hear(m, &heard, &looked);
    }
    lose(m, why);
}

static void *accompany(void *member) {
    struct member *m = member;
    for (;;) {
        join(m);
        atomic_store(&m->was_tried, true);
        if (atomic_load(&m->file) >= 0)
            watch(m);
        sleep(RETRY_SECONDS);
    }
    return NULL;
}

/* ---- jobs */

enum outcome group_run(unsigned place, struct job *job) {
    struct member *m = &members[places[place].rank];
    const char *fault;
    if (atomic_load(&serve_device[place].is_gone))
        return OUTCOME_FAILED;
    enum outcome outcome = group_job_run(atomic_load(&m->link), places[place].device, job, &fault);
    if (fault) {
        atomic_store(&serve_device[place].is_gone, true);
        atomic_store(&m->fault, fault);
    }
    return outcome;
}

/* ---- all */

static bool is_one_host(void) {
    for (uint32_t i = 0; i < group_table.ranks; i++)
        if (!group_is_near(i))
            return false;
    return true;
}

bool group_prepare(void) {
    if (group_table.ranks == 0)
        return true;
    for (uint32_t i = 0; i < GROUP_RANKS; i++)
        atomic_store(&members[i].file, -1);
    if (!group_net_begin(is_one_host()))
        return false;
    group_member_begin();
    return true;
}

static void join_all(void) {
    pthread_t thread;
    for (uint32_t i = 0; i < group_table.ranks; i++) {
        if (i == group_table.rank || pthread_create(&thread, NULL, accompany, &members[i]) != 0)
            atomic_store(&members[i].was_tried, true);
        else
            pthread_detach(thread);
    }
    for (uint32_t i = 0; i < group_table.ranks; i++)
        while (!atomic_load(&members[i].was_tried))
            usleep(STEP_US);
}

void group_begin(void) {
    began = served_clock();
    if (group_table.ranks == 0)
        return;
    group_member_is_ready();
    if (group_is_leader())
        join_all();
}

void group_end(void) {
    for (uint32_t i = 0; i < group_table.ranks; i++)
        ping(&members[i], GROUP_END);
}

const char *group_reason_to_end(void) {
    bool any;
    if (group_table.ranks == 0)
        return NULL;
    if (group_member_is_ended())
        return "the group ends";
    if (group_is_leader() || group_member_joined(&any) > 0)
        return NULL;
    if (any)
        return "no other member uses its devices any longer";
    return served_clock() - began > LEADER_SECONDS * INT64_C(1000000000)
               ? "no other member has called"
               : NULL;
}
