/* SPDX-License-Identifier: LGPL-3.0-or-later
 * Tests the slot of a small product whose thread has left in a signal handler. Another thread
 * frees the slot, but not while the launching thread waits for the driver to finish the product.
 * Slots and direct_is_done are mocked, as on GPUs where the host sees the end of products by
 * itself. */
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

/* Makes a product that was launched, and whose thread has been running a handler for a long
 * time. */
static void leave(struct gather_wait *w, struct direct_product *p) {
    gather.launcher.first = &context;
    gather.block = &gather.own_block;
    gather.far = &slots;
    p->slot = gather_slots_try(&gather.slots);
    atomic_store(&gather.block->draining, 1); /* the launching thread is working */
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
    ck_assert_uint_eq(atomic_load(&gather.block->late), bit); /* the driver is being asked for
                                                                 the product, */
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

/* After the slot was freed, another thread's product uses it, and that thread runs a handler,
 * too. The first thread must not get the slot back. */
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

/* While the launching thread opens its context, no other thread may touch that context. Here its
 * memory belongs to no device, so an access would crash. */
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
