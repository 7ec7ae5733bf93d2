/* SPDX-License-Identifier: LGPL-3.0-or-later
 * The thread that serves one channel of a client: it takes requests from a ring in shared
 * memory. */
#include "config.h"

#include <string.h>

#include "gpu/futex.h"
#include "gpu/served/served_wait.h"
#include "tools/serve/serve.h"

/* the server updates the count of served requests, which the client reads, at least once in this
 * many requests */
enum { OFTEN = SERVED_RING / 4 };
static const int64_t look_ns = 1000000000;

static int most_spinners;
static atomic_int spinners;

void serve_channel_spinners(int most) {
    most_spinners = most;
}

static bool is_ending(const struct serve_channel *ch) {
    return atomic_load(&ch->client->is_ending);
}

static struct served_channel *shared_of(const struct serve_channel *ch) {
    return &ch->client->shared->channel[ch->number];
}

/* Spins until a request arrives or the time for spinning is over.  Returns true if a request has
 * arrived. */
static bool spin(const struct serve_channel *ch, uint32_t next) {
    struct served_channel *s = shared_of(ch);
    bool may = atomic_fetch_add(&spinners, 1) < most_spinners;
    struct served_wait wait = served_wait_begin(may, true);
    while (atomic_load(&s->posted) == next && served_wait_spin(&wait))
        continue;
    atomic_fetch_sub(&spinners, 1);
    return atomic_load(&s->posted) != next;
}

/* Waits for the next request.  Returns false if the client has ended. */
static bool await(const struct serve_channel *ch, uint32_t next) {
    struct served_channel *s = shared_of(ch);
    if (!is_ending(ch) && (atomic_load(&s->posted) != next || spin(ch, next)))
        return true;
    while (!is_ending(ch) && atomic_load(&s->posted) == next) {
        atomic_store(&s->is_asleep, 1);
        if (atomic_load(&s->posted) == next)
            futex_sleep(&s->posted, next, look_ns);
        atomic_store(&s->is_asleep, 0);
    }
    return !is_ending(ch);
}

/* Copies a request before it is checked, because the client can overwrite shared memory at any
 * time. */
static void take(const struct serve_channel *ch, uint32_t place, struct served_request *r) {
    memcpy(r, &shared_of(ch)->ring[place % SERVED_RING], sizeof *r);
}

/* Updates the count of served requests that the client reads, and wakes a waiting client. Does
 * nothing if the request has no answer and more requests are waiting: a later call updates the
 * count. */
static void tell(const struct serve_channel *ch, uint32_t served, bool has_answer) {
    struct served_channel *s = shared_of(ch);
    if (!has_answer && served % OFTEN != 0 && atomic_load(&s->posted) != served)
        return;
    atomic_store(&s->served, served);
    if (atomic_load(&s->is_waiting) &&
        (has_answer || (int32_t)(served - atomic_load(&s->wanted)) >= 0))
        futex_wake(&s->served);
}

static void *serve(void *argument) {
    struct serve_channel *ch = argument;
    struct served_request request;
    for (uint32_t next = 0; await(ch, next); next++) {
        bool has_answer;
        take(ch, next, &request);
        const char *wrong = serve_request(ch, &request, &has_answer);
        if (wrong) {
            serve_clients_end(ch->client, wrong);
            break;
        }
        tell(ch, next + 1, has_answer);
    }
    return NULL;
}

bool serve_channel_begin(struct serve_channel *ch) {
    if (!ch->is_served)
        ch->is_served = pthread_create(&ch->thread, NULL, serve, ch) == 0;
    return ch->is_served;
}
