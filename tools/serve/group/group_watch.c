/* SPDX-License-Identifier: LGPL-3.0-or-later
 * The others of the group: what devices they have, and whether they are still there. */
#include "config.h"

#include <errno.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <time.h>
#include <unistd.h>

#include "gpu/served/served_wait.h"
#include "lib/process/stopped.h"
#include "tools/serve/group/group.h"
#include "tools/serve/group/group_wire.h"

/* Until a member has opened its device; between pings; without an answer to one. */
enum { OPEN_SECONDS = 90, PING_MS = 1000, SILENCE_MS = 5000, LEADER_SECONDS = 120 };

static struct member {
    uint32_t rank;
    int file;
    int64_t heard; /* when; of served_clock */
    atomic_bool is_gone;
} members[GROUP_RANKS];
static unsigned count;
static int64_t began;

/* ---- joining */

static const char *host_of(uint32_t rank) {
    return group_table.peer[rank].host;
}

static int largest_index(void) {
    int index = -1;
    for (unsigned i = 0; i < serve_devices; i++)
        index = serve_device[i].dev.index > index ? serve_device[i].dev.index : index;
    return index;
}

static void add_device(uint32_t rank, unsigned device, const struct group_welcome *w) {
    const struct served_offer *o = &w->offer[device];
    struct serve_device *d = &serve_device[serve_devices];
    const struct gpu_backend *backend = group_backend_of(o->backend);
    if (!backend || serve_devices == SERVED_DEVICES) {
        serve_log(1, "rank %u on %s: %s is left out: %s", rank, host_of(rank), o->caps.name,
                  backend ? "there are too many devices" : "it is of a backend that is not known");
        return;
    }
    int index = largest_index() + 1;
    d->dev = (struct gpu_device){.backend = backend, .caps = o->caps, .index = index};
    d->is_members = true;
    pthread_mutex_init(&d->mutex, NULL);
    for (int i = 0; i < GPU_KNOWN; i++)
        atomic_store(&d->known[i], w->known[device][i]);
    group_backend_add(serve_devices, rank, device);
    serve_devices++;
    serve_log(2, "device %d: rank %u on %s: %s: %s", index, rank, host_of(rank), backend->name,
              d->dev.caps.name);
}

/* Texts and numbers from elsewhere. */
static void make_sound(struct group_welcome *w) {
    w->devices = w->devices < SERVED_DEVICES ? w->devices : SERVED_DEVICES;
    for (unsigned i = 0; i < w->devices; i++) {
        struct served_offer *o = &w->offer[i];
        o->backend[sizeof o->backend - 1] = o->caps.name[sizeof o->caps.name - 1] = '\0';
        o->caps.vendor[sizeof o->caps.vendor - 1] = '\0';
        o->caps.driver[sizeof o->caps.driver - 1] = '\0';
    }
}

static void join(uint32_t rank) {
    static struct group_welcome w;
    struct group_hello hello = {.wish = GROUP_JOIN};
    int file = group_wire_call(rank, &hello, &w, OPEN_SECONDS);
    if (file < 0) {
        serve_log(1, "%s: it is left out", gpu_error_text());
        return;
    }
    if (w.devices == 0) {
        serve_log(1, "rank %u on %s has no device: it is left out", rank, host_of(rank));
        close(file);
        return;
    }
    make_sound(&w);
    members[count].rank = rank;
    members[count].file = file;
    count++;
    for (unsigned i = 0; i < w.devices; i++)
        add_device(rank, i, &w);
}

static void join_all(void) {
    const struct group_table *t = &group_table;
    for (uint32_t i = 1; i < t->ranks; i++) {
        uint32_t rank = (t->rank + i) % t->ranks;
        if (strcmp(t->peer[rank].version, PACKAGE_VERSION) == 0)
            join(rank);
        else
            serve_log(1, "rank %u on %s is version %s: it is left out", rank, host_of(rank),
                      t->peer[rank].version);
    }
}

/* ---- watching */

/* Its devices have failed; clients that work with them are told so. */
static void lose(struct member *m, const char *why) {
    serve_log(1, "rank %u on %s %s: its devices are left alone", m->rank, host_of(m->rank), why);
    m->is_gone = true;
    for (unsigned i = serve_own_devices; i < serve_devices; i++)
        if (group_backend_rank(i) == m->rank)
            atomic_store(&serve_device[i].is_gone, true);
    group_link_lose(m->rank);
    close(m->file);
}

static void hear(struct member *m, int64_t now) {
    char some[64];
    ssize_t n = recv(m->file, some, sizeof some, MSG_DONTWAIT);
    if (n > 0)
        m->heard = now;
    else if (n == 0 || (errno != EAGAIN && errno != EWOULDBLOCK && errno != EINTR))
        lose(m, "has ended");
    else if (now - m->heard > SILENCE_MS * INT64_C(1000000))
        lose(m, "does not answer");
}

static void ping(const struct member *m, char what) {
    if (!m->is_gone && send(m->file, &what, 1, MSG_DONTWAIT | MSG_NOSIGNAL) < 0)
        serve_log(3, "rank %u takes no ping", m->rank);
}

/* After a pause of this process nobody has been silent: nobody was asked. */
static void forgive(int64_t now) {
    static int64_t looked;
    bool was_stopped = stopped_since(&looked, PING_MS * INT64_C(1000000));
    for (unsigned i = 0; i < count && was_stopped; i++)
        members[i].heard = now;
}

static void look_once(int64_t *pinged) {
    struct pollfd file[GROUP_RANKS];
    for (unsigned i = 0; i < count; i++)
        file[i] =
            (struct pollfd){.fd = members[i].is_gone ? -1 : members[i].file, .events = POLLIN};
    poll(file, count, PING_MS);
    int64_t now = served_clock();
    forgive(now);
    for (unsigned i = 0; i < count; i++)
        if (!members[i].is_gone)
            hear(&members[i], now);
    if (now - *pinged < PING_MS * INT64_C(1000000))
        return;
    *pinged = now;
    for (unsigned i = 0; i < count; i++)
        ping(&members[i], GROUP_PING);
}

static void *watch(void *unused) {
    int64_t pinged = 0;
    (void)unused;
    for (;;)
        look_once(&pinged);
    return NULL;
}

/* ---- all */

void group_begin(void) {
    pthread_t thread;
    began = served_clock();
    if (group_table.ranks == 0)
        return;
    group_member_begin();
    serve_memory_keep_files();
    if (!group_is_leader())
        return;
    join_all();
    for (unsigned i = 0; i < count; i++)
        members[i].heard = served_clock();
    if (count > 0 && pthread_create(&thread, NULL, watch, NULL) == 0)
        pthread_detach(thread);
}

void group_end(void) {
    for (unsigned i = 0; i < count; i++)
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
        return "no other member uses its devices any more";
    return served_clock() - began > LEADER_SECONDS * INT64_C(1000000000)
               ? "no other member has called"
               : NULL;
}
