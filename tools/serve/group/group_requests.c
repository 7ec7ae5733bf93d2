/* SPDX-License-Identifier: LGPL-3.0-or-later
 * What another member asks for one of its clients: requests as of this server's own clients
 * (tools/serve/serve_request.c), which are looked at in the same way.  Bytes of copies go through
 * two pieces of the client's page-locked memory, so that one is on its way while the device works
 * with the other. */
#include "config.h"

#include <stdlib.h>
#include <string.h>

#include "tools/serve/group/group.h"
#include "tools/serve/group/group_wire.h"

enum { PIECES = 2, PIECE = 1 << 19 };

_Static_assert((size_t)SERVED_CHANNELS *PIECES *PIECE <= SERVED_TABLES, "all are page-locked");

struct asked {
    struct serve_channel *ch;
    unsigned device;
    uint32_t rank; /* who asks */
    int file;
    struct piece {
        gpu_event_impl *event; /* the device is done with it then */
        size_t bytes;          /* that are to be sent */
    } piece[PIECES];
};

static const struct gpu_backend *backend_of(const struct asked *a) {
    return serve_device[a->device].dev.backend;
}

/* ---- pieces */

static uint64_t offset_of(const struct asked *a, unsigned i) {
    return (uint64_t)(a->ch->number * PIECES + i) * PIECE;
}

static char *memory_of(const struct asked *a, unsigned i) {
    return a->ch->client->region[0].begin + offset_of(a, i);
}

static bool await(struct asked *a, unsigned i) {
    gpu_event_impl *event = a->piece[i].event;
    if (!event)
        return true;
    a->piece[i].event = NULL;
    bool done = backend_of(a)->event_wait(event) == GPU_OK;
    backend_of(a)->event_release(event);
    return done;
}

/* What was put into the queue last uses it; where the queue has failed nothing was put. */
static bool mark(struct asked *a, unsigned i, uint64_t queue) {
    struct serve_client *c = a->ch->client;
    pthread_rwlock_rdlock(&c->lock);
    const struct serve_object *o = serve_objects_get(c, queue, OBJECT_QUEUE);
    enum gpu_status status = GPU_OK;
    if (o && o->queue->status == GPU_OK)
        status = o->device->dev.backend->event_record(o->queue->impl, &a->piece[i].event);
    pthread_rwlock_unlock(&c->lock);
    return status == GPU_OK;
}

static bool do_request(struct asked *a, const struct served_request *r, bool *has_answer) {
    const char *wrong = serve_request(a->ch, r, has_answer);
    if (wrong)
        serve_clients_end(a->ch->client, wrong);
    return !wrong;
}

/* A part of a copy: by piece i, n bytes from `at` of it on. */
static bool copy_part(struct asked *a, const struct served_request *r, unsigned i, uint64_t at,
                      size_t n) {
    bool unused;
    struct served_request part = *r;
    part.a[2] += at;
    part.a[3] = 0;
    part.a[4] = offset_of(a, i);
    part.a[5] = n;
    return do_request(a, &part, &unused) && mark(a, i, r->a[0]);
}

static size_t part_of(uint64_t left) {
    return left < PIECE ? (size_t)left : PIECE;
}

static bool write_all(struct asked *a, const struct served_request *r) {
    size_t n;
    unsigned i = 0;
    for (uint64_t at = 0; at < r->a[5]; at += n, i = (i + 1) % PIECES) {
        n = part_of(r->a[5] - at);
        if (!await(a, i) || !group_wire_receive(a->file, memory_of(a, i), n) ||
            !copy_part(a, r, i, at, n))
            return false;
    }
    return true;
}

static bool send_piece(struct asked *a, unsigned i) {
    size_t bytes = a->piece[i].bytes;
    a->piece[i].bytes = 0;
    return await(a, i) && (bytes == 0 || group_wire_send(a->file, memory_of(a, i), bytes));
}

static bool read_all(struct asked *a, const struct served_request *r) {
    size_t n;
    unsigned i = 0;
    for (uint64_t at = 0; at < r->a[5]; at += n, i = (i + 1) % PIECES) {
        n = part_of(r->a[5] - at);
        if (!send_piece(a, i) || !copy_part(a, r, i, at, n))
            return false;
        a->piece[i].bytes = n;
    }
    for (unsigned k = 0; k < PIECES; k++, i = (i + 1) % PIECES)
        if (!send_piece(a, i))
            return false;
    return true;
}

/* ---- the others */

/* The text goes to the first piece, and the request says so. */
static bool take_text(struct asked *a, struct served_request *r) {
    if (r->a[1] > PIECE || !await(a, 0) ||
        !group_wire_receive(a->file, memory_of(a, 0), (size_t)r->a[1]))
        return false;
    r->a[0] = offset_of(a, 0);
    return true;
}

static bool answer(const struct asked *a) {
    const struct served_channel *from = &a->ch->client->shared->channel[a->ch->number];
    struct group_answer answer = {.status = from->status, .value = from->value};
    memcpy(answer.text, from->text, sizeof answer.text);
    return group_wire_send(a->file, &answer, sizeof answer);
}

/* All name this member's own device. */
static void put_device(const struct asked *a, struct served_request *r) {
    static const unsigned char place[SERVED_OPS] = {
        [SERVED_ALLOC] = 2, [SERVED_QUEUE_OPEN] = 1, [SERVED_KERNEL] = 2, [SERVED_BUILD] = 4};
    if (place[r->op])
        r->a[place[r->op] - 1] = a->device;
}

/* What a program asks for its own connection is not for another member. */
static bool may_be_asked(uint32_t op) {
    return op > SERVED_LEAVE && op < GROUP_OPS && op != SERVED_VIEW && op != SERVED_KNOW;
}

static bool is_known(struct asked *a, const struct served_request *r) {
    bool is_locking = r->op == SERVED_LOCK || r->op == SERVED_UNLOCK;
    bool is_known = may_be_asked(r->op) && r->nargs <= SERVED_ARGS && !(is_locking && r->a[0] == 0);
    if (!is_known)
        serve_clients_end(a->ch->client, "a request that is none");
    return is_known;
}

static bool carry_out(struct asked *a, struct served_request *r) {
    bool has_answer;
    if (r->op == SERVED_WRITE && r->a[3] == 0)
        return write_all(a, r);
    if (r->op == SERVED_READ && r->a[3] == 0)
        return read_all(a, r);
    if (r->op == GROUP_MAP)
        return group_near(a->ch->client, a->file, r);
    put_device(a, r);
    if (r->op == SERVED_BUILD && !take_text(a, r))
        return false;
    return do_request(a, r, &has_answer) && (!has_answer || answer(a));
}

static bool take(struct asked *a) {
    struct served_request r;
    return group_wire_receive(a->file, &r, offsetof(struct served_request, args)) &&
           !atomic_load(&a->ch->client->is_ending) && is_known(a, &r) &&
           group_wire_receive(a->file, r.args, r.nargs * sizeof *r.args) && carry_out(a, &r);
}

void group_requests(struct serve_channel *ch, unsigned device, uint32_t rank, int file) {
    struct asked a = {.ch = ch, .device = device, .rank = rank, .file = file};
    while (take(&a))
        continue;
    for (unsigned i = 0; i < PIECES; i++)
        await(&a, i);
}
