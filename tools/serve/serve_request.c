/* SPDX-License-Identifier: LGPL-3.0-or-later
 * Executes requests of clients.  Looks up and checks everything that a request names. */
#include "config.h"

#include <inttypes.h>
#include <stdio.h>

#include "gpu/error.h"
#include "tools/serve/serve_work.h"

/* ---- requests for which the caller holds the client's lock for writing */

/* Starts a channel.  Only the first channel may request this: once its thread has ended, no channel
 * can be started (serve_clients.c). */
static enum gpu_status begin_channel(struct serve_work *w) {
    if (w->r->a[0] >= SERVED_CHANNELS || w->ch->number != 0)
        return serve_work_wrong(w);
    return serve_channel_begin(&w->c->channel[w->r->a[0]]) ? GPU_OK : GPU_NOMEM;
}

/* Page-locks memory of the client.  Returns GPU_ABSENT if the client has dropped the region.  A
 * client that forks drops regions through another channel, and that request can overtake this
 * one. */
static enum gpu_status lock_memory(struct serve_work *w) {
    const uint64_t *a = w->r->a;
    if (a[0] < SERVED_REGIONS && !w->c->region[a[0]].begin)
        return gpu_fail(GPU_ABSENT, "the region is dropped");
    return serve_memory_at(w->c, a[0], a[1], a[2]) ? serve_memory_lock(w->c, a[0], a[1], a[2])
                                                   : serve_work_wrong(w);
}

/* Unlocks memory.  Does not fail for memory that could not be locked. */
static enum gpu_status unlock_memory(struct serve_work *w) {
    serve_memory_unlock(w->c, w->r->a[0], w->r->a[1]);
    return GPU_OK;
}

static enum gpu_status drop_region(struct serve_work *w) {
    return serve_memory_drop(w->c, w->r->a[0]) ? GPU_OK : serve_work_wrong(w);
}

static enum gpu_status with_lock(struct serve_work *w,
                                 enum gpu_status (*function)(struct serve_work *w)) {
    pthread_rwlock_wrlock(&w->c->lock);
    enum gpu_status status = function(w);
    pthread_rwlock_unlock(&w->c->lock);
    return status;
}

/* ---- all */

static enum gpu_status leave(struct serve_work *w) {
    serve_clients_end(w->c, NULL);
    return GPU_OK;
}

static enum gpu_status carry_out(struct serve_work *w) {
    switch ((enum served_op)w->r->op) {
    case SERVED_CHANNEL:
        return with_lock(w, begin_channel);
    case SERVED_LEAVE:
        return leave(w);
    case SERVED_LOCK:
        return with_lock(w, lock_memory);
    case SERVED_UNLOCK:
        return with_lock(w, unlock_memory);
    case SERVED_DROP:
        return with_lock(w, drop_region);
    case SERVED_JOB:
        return serve_job(w);
    case SERVED_SLOTS:
        return serve_slots_open(w);
    case SERVED_RING_SLOTS:
        return serve_slots_ring(w);
    default:
        w->wrong = "an unknown request";
        return GPU_FAILED;
    }
}

static bool uses_devices(uint64_t op) {
    return op == SERVED_LOCK || op == SERVED_JOB || op == SERVED_SLOTS || op == SERVED_RING_SLOTS;
}

static enum gpu_status serve(struct serve_work *w) {
    if (!uses_devices(w->r->op)) {
        serve_idle_block();
        enum gpu_status status = carry_out(w);
        serve_idle_leave();
        return status;
    }
    enum gpu_status status =
        serve_idle_enter() ? carry_out(w) : gpu_fail(GPU_FAILED, "the devices do not open again");
    serve_idle_end();
    return status;
}

/* Writes a bad request to the log.  Returns NULL if the request was good, otherwise the reason for
 * dropping the client. */
static const char *wrong_of(const struct serve_work *w) {
    const uint64_t *a = w->r->a;
    if (w->wrong)
        serve_log(2,
                  "client %d (%s), channel %u: request %" PRIu64 " (%" PRIu64 ", %" PRIu64
                  ", %" PRIu64 ")",
                  (int)w->c->pid, w->c->name, w->ch->number, w->r->op, a[0], a[1], a[2]);
    return w->wrong;
}

const char *serve_request(struct serve_channel *ch, const struct served_request *r,
                          bool *has_answer) {
    struct serve_work w = {.ch = ch, .c = ch->client, .r = r};
    struct served_channel *to = &w.c->shared->channel[ch->number];
    *has_answer = r->op != SERVED_RING_SLOTS;
    atomic_fetch_add(&w.c->requests, 1);
    atomic_fetch_add(&w.c->jobs, r->op == SERVED_JOB);
    enum gpu_status status = serve(&w);
    if (!*has_answer)
        return wrong_of(&w);
    if (!w.wrong)
        serve_work_noted(&w, status);
    snprintf(to->text, sizeof to->text, "%s", status == GPU_OK ? "" : gpu_error_text());
    to->status = (int32_t)status;
    to->value = w.value;
    return wrong_of(&w);
}
