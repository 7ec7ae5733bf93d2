/* SPDX-License-Identifier: LGPL-3.0-or-later
 * Other members that call: they prove that they have the key, and say what they want.  Each
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
#include "tools/serve/group/group_wire.h"

enum { HELLO_SECONDS = 5, MOST_ASKING = 64, PAUSE_US = 100000 };

static atomic_int asking; /* connections that have not proved anything yet */
static atomic_int joined; /* members that have joined with this one, and whether any has */
static atomic_bool any_has_joined, is_ended;

int group_member_joined(bool *any) {
    *any = atomic_load(&any_has_joined);
    return atomic_load(&joined);
}

bool group_member_is_ended(void) {
    return atomic_load(&is_ended);
}

/* ---- wishes */

/* Pings are sent back while the process lives, whatever its device does. */
static void stay_joined(int file) {
    char one;
    group_wire_set_time(file, 0);
    while (group_wire_receive(file, &one, 1)) {
        if (one == GROUP_END)
            atomic_store(&is_ended, true);
        if (!group_wire_send(file, &one, 1))
            break;
    }
    atomic_fetch_sub(&joined, 1);
}

static void tell_devices(struct group_welcome *w) {
    struct served_welcome *all = malloc(sizeof *all);
    if (!all)
        return;
    serve_devices_offer(all);
    w->devices = serve_own_devices;
    for (unsigned i = 0; i < serve_own_devices; i++) {
        w->offer[i] = all->offer[i];
        for (int k = 0; k < GPU_KNOWN; k++)
            w->known[i][k] = atomic_load(&serve_device[i].known[k]);
    }
    w->status = GPU_OK;
    free(all);
}

static bool add_client(uint32_t rank, uint64_t token[2], const char **why) {
    char name[16];
    snprintf(name, sizeof name, "rank %u", rank);
    return serve_clients_add_member(name, token, why);
}

/* The channel of the connection, its client kept; NULL, and why not. */
static struct serve_channel *find_channel(const struct group_hello *h, struct group_welcome *w) {
    const char *why = "no such client";
    memcpy(w->token, h->token, sizeof w->token);
    bool is_right = h->channel < SERVED_CHANNELS && h->device < serve_own_devices;
    if (is_right && h->wish == GROUP_OPEN)
        is_right = add_client(h->rank, w->token, &why);
    struct serve_client *c = is_right ? serve_clients_find(w->token, 0) : NULL;
    if (c && !atomic_exchange(&c->channel[h->channel].is_taken, true)) {
        w->status = GPU_OK;
        return &c->channel[h->channel];
    }
    snprintf(w->text, sizeof w->text, "%s", why);
    if (c)
        serve_clients_leave(c);
    return NULL;
}

/* ---- one that calls */

static bool hear(int file, struct group_hello *h) {
    struct group_challenge challenge = {.magic = GROUP_MAGIC};
    group_wire_set_time(file, HELLO_SECONDS);
    return getrandom(challenge.nonce, GROUP_NONCE, 0) == GROUP_NONCE &&
           group_wire_send(file, &challenge, sizeof challenge) &&
           group_wire_receive(file, h, sizeof *h) && h->magic == GROUP_MAGIC &&
           group_wire_is_proved(challenge.nonce, h, offsetof(struct group_hello, proof), h->proof);
}

static bool welcome(int file, const struct group_hello *h, struct group_welcome *w) {
    group_wire_prove(h->nonce, w, offsetof(struct group_welcome, proof), w->proof);
    return group_wire_send(file, w, sizeof *w);
}

static void join(int file, const struct group_hello *h, struct group_welcome *w) {
    tell_devices(w);
    atomic_fetch_add(&joined, 1);
    atomic_store(&any_has_joined, true);
    if (welcome(file, h, w))
        stay_joined(file);
    else
        atomic_fetch_sub(&joined, 1);
}

static void serve_channel_of(int file, const struct group_hello *h, struct group_welcome *w) {
    struct serve_channel *ch = find_channel(h, w);
    if (welcome(file, h, w) && ch) {
        group_wire_set_time(file, 0);
        group_requests(ch, h->device, h->rank, file);
    }
    if (!ch)
        return;
    serve_clients_end(ch->client, NULL);
    serve_clients_leave(ch->client);
}

static void go_on(int file, const struct group_hello *h) {
    struct group_welcome *w = calloc(1, sizeof *w);
    if (!w)
        return;
    w->magic = GROUP_MAGIC;
    w->status = GPU_ABSENT;
    if (!serve_socket_same_version(h->version, h->build, w->text, sizeof w->text))
        welcome(file, h, w);
    else if (h->wish == GROUP_JOIN)
        join(file, h, w);
    else
        serve_channel_of(file, h, w);
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
}
