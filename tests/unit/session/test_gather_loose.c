/* SPDX-License-Identifier: LGPL-3.0-or-later
 * The slot of a gathered product whose thread has left in a signal handler.  Another thread gives
 * the slot back, but not while the thread that launches asks the driver for the product.
 *
 * The host sees the end of products by itself on some GPUs only; here direct_is_watched and
 * direct_is_done say that it does. */
#include "lib/process/hold.h"
#include "lib/session/gather_loose.h"
#include "tests/support/testing.h"

bool __wrap_direct_is_watched(const struct context *s);
bool __wrap_direct_is_watched(const struct context *s) {
    (void)s;
    return true;
}

bool __wrap_direct_is_done(const struct context *s, const struct direct_product *p);
bool __wrap_direct_is_done(const struct context *s, const struct direct_product *p) {
    (void)s;
    (void)p;
    return true;
}

static struct gather gather;

/* A product that was launched, and whose thread runs a handler for a long time. */
static struct gather_request *leave(struct gather_wait *w, struct direct_product *p) {
    p->slot = gather_slots_try(&gather.slots);
    atomic_store(&gather.draining, 1); /* the thread that launches is at work */
    gather_thread_submit(&gather, p, 1);
    struct gather_request *r = &gather.requests[p->slot];
    atomic_store(&r->state, GATHER_LAUNCHED);
    *w = (struct gather_wait){.g = &gather, .p = p, .count = 1};
    gather_loose_begin(w);
    gather_loose_end(w);
    ck_assert(w->window.let_go(w->window.of));
    atomic_fetch_sub(&r->since, 2 * (int64_t)HOLD_PATIENCE_NS);
    return r;
}

START_TEST(slot_in_use) {
    struct direct_product p = {0};
    struct gather_wait w;
    struct gather_request *r = leave(&w, &p);
    const uint32_t bit = 1u << p.slot;
    gather_loose_reap(&gather);
    ck_assert_uint_eq(atomic_load(&gather.slots.taken), bit);
    ck_assert_uint_eq(atomic_load(&gather.late), bit); /* the driver is asked, */
    gather_loose_reap(&gather);
    ck_assert_uint_eq(atomic_load(&gather.slots.taken), bit);
    atomic_store(&r->state, GATHER_ENDED); /* and has answered */
    gather_loose_reap(&gather);
    ck_assert_uint_eq(atomic_load(&gather.slots.taken), bit);
    event_post(&r->ended);
    gather_loose_reap(&gather);
    ck_assert_uint_eq(atomic_load(&gather.slots.taken), 0);
    ck_assert(!gather_loose_are_any(&gather));
    ck_assert(!w.window.take_back(w.window.of));
    ck_assert(w.is_gone);
}
END_TEST

int main(void) {
    return testing_main("slots of threads that have left", 4, TESTS(ONCE(slot_in_use)));
}
