/* SPDX-License-Identifier: LGPL-3.0-or-later
 * Implements holds: the permission of this library's threads to access the program's memory for a
 * job. It is suspended while a signal handler of the program runs. */
#include "config.h"

#include "lib/process/hold.h"

#include <errno.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "lib/process/backoff.h"
#include "lib/process/event.h"
#include "lib/process/shutdown.h"

enum { KEPT, LOOSE, DROPPED, ENDED, STATES };

/* long_patience: how long a signal handler may run during a job that uses only device memory.
 * most_wait: how long hold_let_go waits for threads that access the program's memory. Both are in
 * nanoseconds. */
static const int64_t long_patience = 10000000000, most_wait = 10000000;

/* count of holds (permissions to access memory) that are suspended, or dropped and waiting for
 * hold_reuse */
static atomic_int loose;

bool hold_any_is_loose(void) {
    return atomic_load(&loose) > 0;
}

static unsigned kind_of(unsigned state) {
    return state % STATES;
}

static unsigned with_kind(unsigned state, unsigned kind) {
    return state - state % STATES + kind;
}

/* Changes the state of a hold from kind `from` to kind `to`. Returns false if the state has another
 * kind. */
static bool change(struct hold *h, unsigned from, unsigned to) {
    unsigned now = atomic_load(&h->state);
    return kind_of(now) == from &&
           atomic_compare_exchange_strong(&h->state, &now, with_kind(now, to));
}

void hold_begin(struct hold *h, bool is_patient) {
    atomic_store(&h->began, event_clock());
    atomic_store(&h->patience, is_patient ? long_patience : HOLD_PATIENCE_NS);
    atomic_store(&h->has_written, false);
    atomic_store(&h->state, with_kind(atomic_load(&h->state), KEPT) + STATES);
}

/* Waits until no thread accesses the program's memory; returns false if that takes too long. A
 * thread that enters counts itself first and then checks the state. hold_let_go changes the state
 * first, so no thread is overlooked. */
static bool wait_until_empty(struct hold *h) {
    struct backoff b = {0};
    int64_t end = event_clock() + most_wait;
    while (atomic_load(&h->inside) > 0) {
        if (event_clock() >= end)
            return false;
        backoff_nap(&b);
    }
    return true;
}

bool hold_let_go(struct hold *h, unsigned *state) {
    atomic_store(&h->since, event_clock());
    atomic_store(&h->thread, (int)syscall(SYS_gettid));
    atomic_fetch_add(&loose, 1);
    if (!change(h, KEPT, LOOSE)) {
        atomic_fetch_sub(&loose, 1);
        return false;
    }
    *state = atomic_load(&h->state);
    if (wait_until_empty(h))
        return true;
    if (hold_take_back(h, *state))
        return false;
    /* A thread of this library has dropped the hold during the wait. Waits until such threads have
     * ended the chunks that they are copying. */
    struct backoff b = {0};
    while (atomic_load(&h->inside) > 0)
        backoff_nap(&b);
    return true;
}

bool hold_take_back(struct hold *h, unsigned state) {
    bool is_kept = atomic_compare_exchange_strong(&h->state, &state, with_kind(state, KEPT));
    if (is_kept)
        atomic_fetch_sub(&loose, 1);
    return is_kept;
}

void hold_drop(struct hold *h, unsigned state) {
    atomic_compare_exchange_strong(&h->state, &state, with_kind(state, DROPPED));
}

/* Returns true if the job has begun to write results. Also returns true if another job has begun
 * since, because nothing is known then. */
bool hold_has_written(struct hold *h, unsigned state) {
    bool has_written = atomic_load(&h->has_written);
    return has_written || atomic_load(&h->state) / STATES != state / STATES;
}

bool hold_is_dropped(struct hold *h) {
    return kind_of(atomic_load(&h->state)) == DROPPED;
}

enum gpu_status hold_refusal(struct hold *h) {
    return hold_is_dropped(h) ? GPU_LEFT : GPU_FAILED;
}

/* Returns true if the thread that suspended the hold has ended, for example by pthread_exit in the
 * signal handler. */
static bool has_no_thread(struct hold *h) {
    return syscall(SYS_tgkill, getpid(), atomic_load(&h->thread), 0) != 0 && errno == ESRCH;
}

static bool is_overdue(struct hold *h) {
    return shutdown_has_begun() ||
           event_clock() - atomic_load(&h->since) > atomic_load(&h->patience) || has_no_thread(h);
}

bool hold_is_over(struct hold *h) {
    unsigned state = atomic_load_explicit(&h->state, memory_order_relaxed);
    if (kind_of(state) == LOOSE && is_overdue(h))
        hold_drop(h, state);
    return kind_of(state) != KEPT && hold_is_dropped(h);
}

bool hold_is_abandoned(struct hold *h) {
    return hold_is_over(h) && atomic_load(&h->patience) == long_patience;
}

static void wait_while_loose(struct hold *h) {
    struct backoff b = {0};
    while (kind_of(atomic_load(&h->state)) == LOOSE && !hold_is_over(h))
        backoff_nap(&b);
}

/* Counts the calling thread as one that accesses the program's memory, and returns true. Waits
 * first while the hold is suspended. Returns false if the hold is dropped. */
static bool come_in(struct hold *h) {
    for (;;) {
        atomic_fetch_add(&h->inside, 1);
        unsigned kind = kind_of(atomic_load(&h->state));
        if (kind == KEPT || kind == ENDED)
            return true;
        atomic_fetch_sub(&h->inside, 1);
        if (kind == DROPPED)
            return false;
        wait_while_loose(h);
    }
}

bool hold_enter(struct hold *h) {
    if (!come_in(h))
        return false;
    if (gate_enter(h->gate))
        return true;
    atomic_fetch_sub(&h->inside, 1);
    return false;
}

void hold_leave(struct hold *h) {
    gate_leave(h->gate);
    atomic_fetch_sub(&h->inside, 1);
}

bool hold_enter_result(struct hold *h) {
    bool may = hold_enter(h);
    if (may)
        atomic_store_explicit(&h->has_written, true, memory_order_relaxed);
    return may;
}

bool hold_acquire_for(struct hold *h, const void *owner, void *p, size_t bytes) {
    if (!come_in(h))
        return false;
    if (!gate_acquire(h->gate, owner, p, bytes)) {
        atomic_fetch_sub(&h->inside, 1);
        return false;
    }
    atomic_store(&h->has_written, true);
    return true;
}

bool hold_release_for(struct hold *h, const void *owner, int count) {
    bool is_open = gate_release(h->gate, owner);
    atomic_fetch_sub(&h->inside, count);
    return is_open;
}

bool hold_acquire(struct hold *h, void *p, size_t bytes) {
    const bool is_acquired = hold_acquire_for(h, h, p, bytes);
    atomic_fetch_add(&h->acquired, is_acquired);
    return is_acquired;
}

bool hold_release(struct hold *h) {
    return hold_release_for(h, h, atomic_exchange(&h->acquired, 0));
}

bool hold_end(struct hold *h) {
    while (!change(h, KEPT, ENDED)) {
        if (hold_is_dropped(h))
            return false;
        wait_while_loose(h);
    }
    return true;
}

bool hold_reuse(struct hold *h) {
    const bool is_first = change(h, DROPPED, ENDED);
    atomic_fetch_sub(&loose, is_first);
    return is_first;
}
