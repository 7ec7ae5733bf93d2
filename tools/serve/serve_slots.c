/* SPDX-License-Identifier: LGPL-3.0-or-later
 * Small products of clients (lib/session/coalesce_launcher.h).  A client writes them to slots in
 * shared memory, and the thread that launches kernels reads the slots itself, so no request is
 * sent. */
#include "config.h"

#include "lib/session/coalesce_block.h"
#include "lib/session/session.h"
#include "tools/serve/serve_work.h"

enum { PAGE = 4096 };

static size_t bytes_of_slots(void) {
    return COALESCE_BLOCK_BYTES + direct_host_bytes(COALESCE_SLOTS);
}

/* Registers the client's block of slots for a device.  A client has one block for each device, and
 * its blocks must not overlap. */
static bool begin(struct serve_work *w, struct serve_slots *slots) {
    char *p = serve_memory_at(w->c, 0, w->r->a[0], bytes_of_slots());
    if (!p || w->r->a[0] % PAGE || w->device->is_members)
        return false;
    pthread_rwlock_wrlock(&w->c->lock);
    const bool is_free = !slots->begin && !serve_slots_overlap(w->c, p, bytes_of_slots());
    if (is_free)
        slots->begin = p;
    pthread_rwlock_unlock(&w->c->lock);
    return is_free;
}

enum gpu_status serve_slots_open(struct serve_work *w) {
    if (!serve_work_device(w, w->r->a[1]))
        return serve_work_wrong(w);
    const unsigned place = (unsigned)w->r->a[1];
    struct serve_slots *slots = &w->c->slots[place];
    if (!begin(w, slots))
        return serve_work_wrong(w);
    pthread_rwlock_wrlock(&w->c->lock);
    serve_memory_await(w->c, slots->begin, bytes_of_slots(), 0); /* a new client's */
    pthread_rwlock_unlock(&w->c->lock);
    const bool is_locked = serve_memory_is_locked(w->c, slots->begin, bytes_of_slots());
    session_bind((int)place);
    if (session_wait() != OUTCOME_DONE)
        return GPU_ABSENT;
    enum gpu_status status =
        session_add_slots(place, &slots->source, (struct coalesce_block *)slots->begin, is_locked);
    w->value = slots->source.slots.view.h != 0;
    atomic_store(&slots->is_open, status == GPU_OK);
    return status;
}

enum gpu_status serve_slots_ring(struct serve_work *w) {
    if (!serve_work_device(w, w->r->a[0]))
        return serve_work_wrong(w);
    if (atomic_load(&w->c->slots[w->r->a[0]].is_open))
        session_ring_slots((unsigned)w->r->a[0]);
    return GPU_OK;
}

bool serve_slots_overlap(const struct serve_client *c, const char *p, size_t bytes) {
    bool any = false;
    for (unsigned i = 0; i < SERVED_DEVICES; i++) {
        const char *begin = c->slots[i].begin;
        any |= begin && begin < p + bytes && p < begin + bytes_of_slots();
    }
    return any;
}

void serve_slots_close(struct serve_client *c) {
    for (unsigned i = 0; i < SERVED_DEVICES; i++) {
        if (atomic_exchange(&c->slots[i].is_open, false))
            session_remove_slots(i, &c->slots[i].source);
        c->slots[i].begin = NULL;
    }
}
