/* SPDX-License-Identifier: LGPL-3.0-or-later
 * The gate to the program's memory. */
#include "config.h"

#include "lib/process/gate.h"

#include <sched.h>
#include <stdatomic.h>
#include <sys/mman.h>
#include <unistd.h>

enum { MOST_SHARED = 64 };

static atomic_int inside, is_shut;

/* Memory that the device is writing.  An entry without an owner is free. */
static struct shared {
    const void *_Atomic owner;
    void *p;
    size_t bytes;
} shared[MOST_SHARED];

/* Memory that has other pages now. */
static struct {
    char *_Atomic p;
    atomic_size_t bytes;
} replaced[MOST_SHARED];
static atomic_int replaced_count;

/* A thread that comes in counts first and looks then; a thread that shuts does the opposite. */
bool gate_enter(void) {
    atomic_fetch_add(&inside, 1);
    if (!atomic_load(&is_shut))
        return true;
    gate_leave();
    return false;
}

void gate_leave(void) {
    atomic_fetch_sub(&inside, 1);
}

static bool note(const void *owner, void *p, size_t bytes) {
    for (int i = 0; i < MOST_SHARED; i++) {
        const void *none = NULL;
        if (atomic_compare_exchange_strong(&shared[i].owner, &none, owner)) {
            shared[i].p = p;
            shared[i].bytes = bytes;
            return true;
        }
    }
    return false;
}

bool gate_acquire(const void *owner, void *p, size_t bytes) {
    if (!gate_enter())
        return false;
    bool is_noted = note(owner, p, bytes);
    gate_leave();
    return is_noted;
}

void gate_release(const void *owner) {
    for (int i = 0; i < MOST_SHARED; i++)
        if (atomic_load(&shared[i].owner) == owner)
            atomic_store(&shared[i].owner, NULL);
}

/* Other pages at these addresses.  A program that waits is better than one with a wrong result. */
static void replace(const struct shared *s) {
    while (mmap(s->p, s->bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED, -1,
                0) == MAP_FAILED)
        sleep(1);
    int i = atomic_fetch_add(&replaced_count, 1); /* each entry comes once */
    replaced[i].bytes = s->bytes;
    replaced[i].p = s->p;
}

size_t gate_replaced(char *p, size_t bytes, char **begin) {
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

void gate_shut(void) {
    atomic_store(&is_shut, 1);
    while (atomic_load(&inside) > 0)
        sched_yield();
    for (int i = 0; i < MOST_SHARED; i++) {
        if (atomic_exchange(&shared[i].owner, NULL))
            replace(&shared[i]);
    }
}
