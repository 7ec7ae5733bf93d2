/* SPDX-License-Identifier: LGPL-3.0-or-later
 * The slot of a gathered product whose thread has left in a signal handler.  Another thread gives
 * the slot back, but not while the thread that launches asks the driver for the product.
 *
 * The host sees the end of products by itself on some GPUs only; here the slots and direct_is_done
 * say that it does. */
#include "lib/process/hold.h"
#include "lib/session/gather_loose.h"
#include "tests/support/testing.h"

bool __wrap_direct_is_done(const struct direct *d, const struct direct_product *p);
bool __wrap_direct_is_done(const struct direct *d, const struct direct_product *p) {
    (void)d;
    (void)p;
    return true;
}

static struct gather gather;
static const struct context context;
static struct direct slots = {.is_watched = true};

/* A product that was launched, and whose thread runs a handler for a long time. */
static void leave(struct gather_wait *w, struct direct_product *p) {
    gather.launcher.first = &context;
    gather.block = &gather.own_block;
    gather.far = &slots;
    p->slot = gather_slots_try(&gather.slots);
    atomic_store(&gather.block->draining, 1); /* the thread that launches is at work */
    gather_submit(&gather, p, 1);
    atomic_store(&gather.block->entry[p->slot].state, GATHER_LAUNCHED);
    *w = (struct gather_wait){.g = &gather, .p = p, .count = 1};
    gather_loose_begin(w);
    gather_loose_end(w);
    ck_assert(w->window.let_go(w->window.of));
    atomic_fetch_sub(&gather.kept[p->slot].since, 2 * (int64_t)HOLD_PATIENCE_NS);
}

START_TEST(slot_in_use) {
    struct direct_product p = {0};
    struct gather_wait w;
    leave(&w, &p);
    struct gather_entry *e = &gather.block->entry[p.slot];
    const uint32_t bit = 1u << p.slot;
    gather_loose_reap(&gather);
    ck_assert_uint_eq(atomic_load(&gather.slots.taken), bit);
    ck_assert_uint_eq(atomic_load(&gather.block->late), bit); /* the driver is asked, */
    gather_loose_reap(&gather);
    ck_assert_uint_eq(atomic_load(&gather.slots.taken), bit);
    atomic_store(&e->state, GATHER_ENDED); /* and has answered */
    gather_loose_reap(&gather);
    ck_assert_uint_eq(atomic_load(&gather.slots.taken), bit);
    event_post(&e->ended);
    gather_loose_reap(&gather);
    ck_assert_uint_eq(atomic_load(&gather.slots.taken), 0);
    ck_assert(!gather_loose_are_any(&gather));
    ck_assert(!w.window.take_back(w.window.of));
    ck_assert(w.is_gone);
}
END_TEST

/* Another thread has the slot by now, and runs a handler, too. */
START_TEST(slot_of_another) {
    struct direct_product before = {.ticket = 1}, now = {.ticket = 2};
    struct gather_wait left, other;
    leave(&left, &before);
    atomic_store(&gather.block->entry[before.slot].state, GATHER_ENDED);
    event_post(&gather.block->entry[before.slot].ended);
    gather_loose_reap(&gather);
    leave(&other, &now);
    ck_assert_uint_eq(now.slot, before.slot);
    ck_assert(!left.window.take_back(left.window.of));
    ck_assert(left.is_gone);
    ck_assert(other.window.take_back(other.window.of));
    ck_assert(!other.is_gone);
}
END_TEST

/* While the thread that launches opens its context, nobody else touches that: it has memory of no
 * device here. */
START_TEST(trim_while_opening) {
    static struct gather_launcher l = {.context.direct = &slots};
    l.context.slot[SLOT_WORK].bytes = 100;
    gather_launcher_trim(&l);
    ck_assert_uint_eq(l.context.slot[SLOT_WORK].bytes, 100);
}
END_TEST

int main(void) {
    return testing_main("slots of threads that have left", 4,
                        TESTS(ONCE(slot_in_use), ONCE(slot_of_another), ONCE(trim_while_opening)));
}
