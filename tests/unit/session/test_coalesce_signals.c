/* SPDX-License-Identifier: LGPL-3.0-or-later
 * Tests small products whose threads have left the call in a signal handler. Another thread must
 * free such a product's slot (place in the kernels' memory). It must not do so while the launching
 * thread waits for the driver to finish the product. The test replaces direct_is_done, which then
 * always reports that a product has ended. */
#include "lib/process/lease.h"
#include "lib/session/coalesce_signals.h"
#include "tests/support/testing.h"

bool __wrap_direct_is_done(const struct direct *d, const struct direct_product *p);
bool __wrap_direct_is_done(const struct direct *d, const struct direct_product *p) {
    (void)d;
    (void)p;
    return true;
}

static struct coalesce coalesce;
static const struct context context;
static struct direct slots = {.is_watched = true};

/* Launches a product whose thread has been in a signal handler for a long time. */
static void leave(struct coalesce_wait *w, struct direct_product *p) {
    coalesce.launcher.first = &context;
    coalesce.block = &coalesce.own_block;
    coalesce.far = &slots;
    p->slot = coalesce_slots_try(&coalesce.slots);
    atomic_store(&coalesce.block->draining, 1); /* as if the launching thread were working */
    coalesce_submit(&coalesce, p, 1);
    atomic_store(&coalesce.block->entry[p->slot].state, COALESCE_LAUNCHED);
    *w = (struct coalesce_wait){.g = &coalesce, .p = p, .count = 1};
    coalesce_signals_begin(w);
    coalesce_signals_end(w);
    ck_assert(w->window.suspend(w->window.of));
    atomic_fetch_sub(&coalesce.kept[p->slot].since, 2 * (int64_t)LEASE_PATIENCE_NS);
}

START_TEST(slot_in_use) {
    struct direct_product p = {0};
    struct coalesce_wait w;
    leave(&w, &p);
    struct coalesce_entry *e = &coalesce.block->entry[p.slot];
    const uint32_t bit = 1u << p.slot;
    coalesce_signals_reap(&coalesce);
    ck_assert_uint_eq(atomic_load(&coalesce.slots.taken), bit);
    /* the launching thread must ask the driver whether the product has ended */
    ck_assert_uint_eq(atomic_load(&coalesce.block->late), bit);
    coalesce_signals_reap(&coalesce);
    ck_assert_uint_eq(atomic_load(&coalesce.slots.taken), bit);
    /* as if the driver had answered that the product has ended */
    atomic_store(&e->state, COALESCE_ENDED);
    coalesce_signals_reap(&coalesce);
    ck_assert_uint_eq(atomic_load(&coalesce.slots.taken), bit);
    event_post(&e->ended);
    coalesce_signals_reap(&coalesce);
    ck_assert_uint_eq(atomic_load(&coalesce.slots.taken), 0);
    ck_assert(!coalesce_signals_any_suspended(&coalesce));
    ck_assert(!w.window.resume(w.window.of));
    ck_assert(w.is_gone);
}
END_TEST

/* After a product's slot was freed, another thread's product gets the slot, and that thread runs a
 * handler, too. The first thread must not continue to use the slot. */
START_TEST(slot_of_another) {
    struct direct_product before = {.ticket = 1}, now = {.ticket = 2};
    struct coalesce_wait left, other;
    leave(&left, &before);
    atomic_store(&coalesce.block->entry[before.slot].state, COALESCE_ENDED);
    event_post(&coalesce.block->entry[before.slot].ended);
    coalesce_signals_reap(&coalesce);
    leave(&other, &now);
    ck_assert_uint_eq(now.slot, before.slot);
    ck_assert(!left.window.resume(left.window.of));
    ck_assert(left.is_gone);
    ck_assert(other.window.resume(other.window.of));
    ck_assert(!other.is_gone);
}
END_TEST

/* While the launching thread opens its context, no other thread may access that context. In this
 * test the context's memory belongs to no device, so an access would crash. */
START_TEST(trim_while_opening) {
    static struct coalesce_launcher l = {.context.direct = &slots};
    l.context.slot[SLOT_WORK].bytes = 100;
    coalesce_launcher_trim(&l);
    ck_assert_uint_eq(l.context.slot[SLOT_WORK].bytes, 100);
}
END_TEST

int main(void) {
    return testing_main("slots of threads that have left", 4,
                        TESTS(ONCE(slot_in_use), ONCE(slot_of_another), ONCE(trim_while_opening)));
}
