/* SPDX-License-Identifier: LGPL-3.0-or-later
 * Implements the access guards that keep a device out of the program's memory once it does not
 * answer. */
#include "config.h"

#include "lib/process/access_guard.h"

#include <sched.h>
#include <sys/mman.h>
#include <time.h>
#include <unistd.h>

static atomic_bool any_is_closed;

enum { MOST_REPLACED = 16 * ACCESS_GUARD_SHARED }; /* for 16 devices */

/* The memory ranges in which access_guard_close has mapped new pages. */
static struct {
    char *_Atomic p;
    atomic_size_t bytes;
} replaced[MOST_REPLACED];
static atomic_int replaced_count;

/* This function counts the thread as inside first, and then checks is_closed. access_guard_close
 * sets is_closed first, and then reads the count. So access_guard_close overlooks no thread. */
bool access_guard_enter(struct access_guard *g) {
    atomic_fetch_add(&g->inside, 1);
    if (!atomic_load(&g->is_closed))
        return true;
    access_guard_leave(g);
    return false;
}

void access_guard_leave(struct access_guard *g) {
    atomic_fetch_sub(&g->inside, 1);
}

bool access_guard_is_closed(struct access_guard *g) {
    return atomic_load(&g->is_closed);
}

bool access_guard_any_is_closed(void) {
    return atomic_load(&any_is_closed);
}

static bool record_shared_memory(struct access_guard *g, const void *owner, void *p, size_t bytes) {
    for (int i = 0; i < ACCESS_GUARD_SHARED; i++) {
        const void *none = NULL;
        if (atomic_compare_exchange_strong(&g->shared[i].owner, &none, owner)) {
            g->shared[i].p = p;
            g->shared[i].bytes = bytes;
            return true;
        }
    }
    return false;
}

bool access_guard_acquire(struct access_guard *g, const void *owner, void *p, size_t bytes) {
    if (!access_guard_enter(g))
        return false;
    bool is_noted = record_shared_memory(g, owner, p, bytes);
    access_guard_leave(g);
    return is_noted;
}

/* Waits until access_guard_close has ended in another thread. Until then that thread may map pages,
 * which would replace what the program writes. */
static void wait_until_done(const struct access_guard *g) {
    while (!atomic_load(&g->is_done))
        sched_yield();
}

bool access_guard_release(struct access_guard *g, const void *owner) {
    if (!access_guard_enter(g)) {
        wait_until_done(g);
        return false;
    }
    for (int i = 0; i < ACCESS_GUARD_SHARED; i++)
        if (atomic_load(&g->shared[i].owner) == owner)
            atomic_store(&g->shared[i].owner, NULL);
    access_guard_leave(g);
    return true;
}

/* Maps new pages at the addresses in *s. Repeats this until it succeeds: a program that hangs is
 * better than a wrong result. */
static void replace_shared_memory(const struct access_guard_shared *s) {
    while (mmap(s->p, s->bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED, -1,
                0) == MAP_FAILED)
        nanosleep(&(struct timespec){.tv_sec = 1}, NULL);
    /* the list of replaced ranges is long enough, since each acquired range is replaced once */
    int i = atomic_fetch_add(&replaced_count, 1);
    replaced[i].bytes = s->bytes;
    replaced[i].p = s->p;
}

size_t access_guard_replaced(char *p, size_t bytes, char **begin) {
    size_t least = bytes, found = 0;
    for (int i = 0, count = atomic_load(&replaced_count); i < count; i++) {
        char *from = replaced[i].p > p ? replaced[i].p : p,
             *end = replaced[i].p + replaced[i].bytes;
        if (end <= from || from >= p + bytes || (size_t)(from - p) > least)
            continue;
        *begin = from;
        least = (size_t)(from - p);
        found = (size_t)((end < p + bytes ? end : p + bytes) - from);
    }
    return found;
}

void access_guard_close(struct access_guard *g) {
    atomic_store(&any_is_closed, true);
    if (atomic_exchange(&g->is_closed, 1)) {
        wait_until_done(g);
        return;
    }
    while (atomic_load(&g->inside) > 0)
        sched_yield();
    for (int i = 0; i < ACCESS_GUARD_SHARED; i++) {
        if (atomic_load(&g->shared[i].owner)) {
            replace_shared_memory(&g->shared[i]);
            atomic_store(&g->shared[i].owner, NULL);
        }
    }
    atomic_store(&g->is_done, 1);
}
