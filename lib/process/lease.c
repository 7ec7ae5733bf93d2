/* SPDX-License-Identifier: LGPL-3.0-or-later
 * Implements leases: the permission of this library's threads to access the program's memory for a
 * job. It is suspended while a signal handler of the program runs. */
#include "config.h"

#include "lib/process/lease.h"

#include <errno.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "lib/process/backoff.h"
#include "lib/process/event.h"
#include "lib/process/shutdown.h"

enum { HELD, SUSPENDED, REVOKED, ENDED, STATES };

/* In nanoseconds. long_patience: how long a signal handler may run during a job that uses only
 * device memory. most_wait: how long lease_suspend waits until no thread accesses the program's
 * memory. */
static const int64_t long_patience = 10000000000, most_wait = 10000000;

/* count of leases (permissions to access memory) that are suspended, or were revoked without a call
 * of lease_reuse since */
static atomic_int suspended;

bool lease_any_is_suspended(void) {
    return atomic_load(&suspended) > 0;
}

static unsigned kind_of(unsigned state) {
    return state % STATES;
}

static unsigned with_kind(unsigned state, unsigned kind) {
    return state - state % STATES + kind;
}

/* Changes the state of a lease from kind `from` to kind `to`. Returns false if the state has
 * another kind. */
static bool change_lease_kind(struct lease *h, unsigned from, unsigned to) {
    unsigned now = atomic_load(&h->state);
    return kind_of(now) == from &&
           atomic_compare_exchange_strong(&h->state, &now, with_kind(now, to));
}

void lease_begin(struct lease *h, bool is_patient) {
    atomic_store(&h->began, event_clock());
    atomic_store(&h->patience, is_patient ? long_patience : LEASE_PATIENCE_NS);
    atomic_store(&h->has_written, false);
    atomic_store(&h->state, with_kind(atomic_load(&h->state), HELD) + STATES);
}

/* Waits until no thread accesses the program's memory. Returns false if that takes too long. A
 * thread that enters counts itself first and then checks the state. lease_suspend changes the state
 * first and then reads the count, so it overlooks no thread. */
static bool wait_until_empty(struct lease *h) {
    struct backoff b = {0};
    int64_t end = event_clock() + most_wait;
    while (atomic_load(&h->inside) > 0) {
        if (event_clock() >= end)
            return false;
        backoff_nap(&b);
    }
    return true;
}

bool lease_suspend(struct lease *h, unsigned *state) {
    atomic_store(&h->since, event_clock());
    atomic_store(&h->thread, (int)syscall(SYS_gettid));
    atomic_fetch_add(&suspended, 1);
    if (!change_lease_kind(h, HELD, SUSPENDED)) {
        atomic_fetch_sub(&suspended, 1);
        return false;
    }
    *state = atomic_load(&h->state);
    if (wait_until_empty(h))
        return true;
    if (lease_resume(h, *state))
        return false;
    /* A thread of this library has revoked the lease during this wait. Waits until no thread of
     * this library copies a chunk any more. */
    struct backoff b = {0};
    while (atomic_load(&h->inside) > 0)
        backoff_nap(&b);
    return true;
}

bool lease_resume(struct lease *h, unsigned state) {
    bool is_kept = atomic_compare_exchange_strong(&h->state, &state, with_kind(state, HELD));
    if (is_kept)
        atomic_fetch_sub(&suspended, 1);
    return is_kept;
}

void lease_revoke(struct lease *h, unsigned state) {
    atomic_compare_exchange_strong(&h->state, &state, with_kind(state, REVOKED));
}

/* Returns true if the job with this state may have begun to write results, or if another job has
 * begun with this lease: the answer is then unknown. */
bool lease_has_written(struct lease *h, unsigned state) {
    bool has_written = atomic_load(&h->has_written);
    return has_written || atomic_load(&h->state) / STATES != state / STATES;
}

bool lease_is_revoked(struct lease *h) {
    return kind_of(atomic_load(&h->state)) == REVOKED;
}

enum gpu_status lease_refusal(struct lease *h) {
    return lease_is_revoked(h) ? GPU_LEFT : GPU_FAILED;
}

/* Returns true if the thread that suspended the lease has ended, for example by pthread_exit in the
 * signal handler. */
static bool has_no_thread(struct lease *h) {
    return syscall(SYS_tgkill, getpid(), atomic_load(&h->thread), 0) != 0 && errno == ESRCH;
}

static bool is_overdue(struct lease *h) {
    return shutdown_has_begun() ||
           event_clock() - atomic_load(&h->since) > atomic_load(&h->patience) || has_no_thread(h);
}

bool lease_is_over(struct lease *h) {
    unsigned state = atomic_load_explicit(&h->state, memory_order_relaxed);
    if (kind_of(state) == SUSPENDED && is_overdue(h))
        lease_revoke(h, state);
    return kind_of(state) != HELD && lease_is_revoked(h);
}

bool lease_is_abandoned(struct lease *h) {
    return lease_is_over(h) && atomic_load(&h->patience) == long_patience;
}

static void wait_while_suspended(struct lease *h) {
    struct backoff b = {0};
    while (kind_of(atomic_load(&h->state)) == SUSPENDED && !lease_is_over(h))
        backoff_nap(&b);
}

/* Counts the calling thread as one that accesses the program's memory, and returns true. Waits
 * first while the lease is suspended. Returns false if the lease is revoked. */
static bool enter_lease(struct lease *h) {
    for (;;) {
        atomic_fetch_add(&h->inside, 1);
        unsigned kind = kind_of(atomic_load(&h->state));
        if (kind == HELD || kind == ENDED)
            return true;
        atomic_fetch_sub(&h->inside, 1);
        if (kind == REVOKED)
            return false;
        wait_while_suspended(h);
    }
}

bool lease_enter(struct lease *h) {
    if (!enter_lease(h))
        return false;
    if (access_guard_enter(h->guard))
        return true;
    atomic_fetch_sub(&h->inside, 1);
    return false;
}

void lease_leave(struct lease *h) {
    access_guard_leave(h->guard);
    atomic_fetch_sub(&h->inside, 1);
}

bool lease_enter_result(struct lease *h) {
    bool may = lease_enter(h);
    if (may)
        atomic_store_explicit(&h->has_written, true, memory_order_relaxed);
    return may;
}

bool lease_acquire_for(struct lease *h, const void *owner, void *p, size_t bytes) {
    if (!enter_lease(h))
        return false;
    if (!access_guard_acquire(h->guard, owner, p, bytes)) {
        atomic_fetch_sub(&h->inside, 1);
        return false;
    }
    atomic_store(&h->has_written, true);
    return true;
}

bool lease_release_for(struct lease *h, const void *owner, int count) {
    bool is_open = access_guard_release(h->guard, owner);
    atomic_fetch_sub(&h->inside, count);
    return is_open;
}

bool lease_acquire(struct lease *h, void *p, size_t bytes) {
    const bool is_acquired = lease_acquire_for(h, h, p, bytes);
    atomic_fetch_add(&h->acquired, is_acquired);
    return is_acquired;
}

bool lease_release(struct lease *h) {
    return lease_release_for(h, h, atomic_exchange(&h->acquired, 0));
}

bool lease_end(struct lease *h) {
    while (!change_lease_kind(h, HELD, ENDED)) {
        if (lease_is_revoked(h))
            return false;
        wait_while_suspended(h);
    }
    return true;
}

bool lease_reuse(struct lease *h) {
    const bool is_first = change_lease_kind(h, REVOKED, ENDED);
    atomic_fetch_sub(&suspended, is_first);
    return is_first;
}
