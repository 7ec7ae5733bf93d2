/* SPDX-License-Identifier: LGPL-3.0-or-later
 * Accepts the connections of other members, which must prove that they have the group's key.  Each
 * connection has a thread. */
#define _GNU_SOURCE 1 /* accept4 */
#include "config.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/random.h>
#include <sys/socket.h>
#include <unistd.h>

#include "tools/serve/group/group.h"
#include "tools/serve/group/group_net.h"
#include "tools/serve/group/group_wire.h"

enum { HELLO_SECONDS = 5, MOST_ASKING = 64, PAUSE_US = 100000 };

/* number of connections whose other end has not yet proved that it has the key */
static atomic_int asking;
/* joined: number of members that are connected now; any_has_joined: whether a member was ever
 * connected */
static atomic_int joined;
static atomic_bool any_has_joined, is_ended, is_ready;

int group_member_joined(bool *any) {
    *any = atomic_load(&any_has_joined);
    return atomic_load(&joined);
}

bool group_member_is_ended(void) {
    return atomic_load(&is_ended);
}

void group_member_is_ready(void) {
    atomic_store(&is_ready, true);
}

/* ---- a member that has proved the key */

/* Echoes the other member's pings until the connection ends.  So pings are answered while this
 * process lives, even if its device hangs. */
static void stay_joined(int file) {
    char one;
    group_wire_set_time(file, 0);
    while (group_wire_receive(file, &one, 1)) {
        if (one == GROUP_END)
            atomic_store(&is_ended, true);
        if (!group_wire_send(file, &one, 1))
            break;
    }
}

static void tell_devices(struct group_welcome *w) {
    struct served_welcome *all = calloc(1, sizeof *all);
    if (!all)
        return;
    serve_devices_offer(all);
    w->address = group_net_address;
    w->devices = serve_own_devices;
    memcpy(w->offer, all->offer, serve_own_devices * sizeof *w->offer);
    w->status = GPU_OK;
    free(all);
}

/* ---- a member that connects */

static bool hear(int file, struct group_hello *h) {
    struct group_challenge challenge = {.magic = GROUP_MAGIC};
    group_wire_set_time(file, HELLO_SECONDS);
    return getrandom(challenge.nonce, GROUP_NONCE, 0) == GROUP_NONCE &&
           group_wire_send(file, &challenge, sizeof challenge) &&
           group_wire_receive(file, h, sizeof *h) && h->magic == GROUP_MAGIC &&
           group_wire_is_proved(challenge.nonce, h, offsetof(struct group_hello, proof),
                                h->proof) &&
           h->address.bytes <= GROUP_ADDRESS_BYTES;
}

static bool welcome(int file, const struct group_hello *h, struct group_welcome *w) {
    group_wire_prove(h->nonce, w, offsetof(struct group_welcome, proof), w->proof);
    return group_wire_send(file, w, sizeof *w);
}

/* Waits until this process has opened its devices. */
static void await_devices(void) {
    while (!atomic_load(&is_ready))
        usleep(PAUSE_US);
}

/* Opens the UCX link before it sends its answer, so that the link exists when the member's first
 * job arrives. */
static void join(int file, const struct group_hello *h, struct group_welcome *w) {
    await_devices();
    tell_devices(w);
    const uint64_t link = group_net_open(&h->address, h->token);
    atomic_fetch_add(&joined, 1);
    atomic_store(&any_has_joined, true);
    if (link && welcome(file, h, w))
        stay_joined(file);
    group_net_close(link);
    atomic_fetch_sub(&joined, 1);
}

static void go_on(int file, const struct group_hello *h) {
    struct group_welcome *w = calloc(1, sizeof *w);
    if (!w)
        return;
    w->magic = GROUP_MAGIC;
    w->status = GPU_ABSENT;
    if (serve_socket_same_version(h->version, h->build, w->text, sizeof w->text))
        join(file, h, w);
    else
        welcome(file, h, w);
    free(w);
}

void group_member_answer(int file) {
    struct group_hello hello;
    atomic_fetch_add(&asking, 1);
    bool is_proved = hear(file, &hello);
    atomic_fetch_sub(&asking, 1);
    if (is_proved)
        go_on(file, &hello);
    else
        serve_log(1, "a connection that says nothing that a member says");
}

static void *answer(void *argument) {
    int file = (int)(intptr_t)argument;
    group_member_answer(file);
    close(file);
    return NULL;
}

static void *accept_all(void *unused) {
    (void)unused;
    for (;;) {
        pthread_t thread;
        int file = accept4(group_table.file, NULL, NULL, SOCK_CLOEXEC);
        if (file < 0 && errno != EINTR && errno != ECONNABORTED)
            usleep(PAUSE_US);
        if (file < 0)
            continue;
        bool few = atomic_load(&asking) < MOST_ASKING;
        if (few && pthread_create(&thread, NULL, answer, (void *)(intptr_t)file) == 0) {
            pthread_detach(thread);
            continue;
        }
        close(file);
    }
    return NULL;
}

void group_member_begin(void) {
    pthread_t thread;
    if (pthread_create(&thread, NULL, accept_all, NULL) == 0)
        pthread_detach(thread);
    else
        serve_log(1, "no thread for connections of other members");
}
