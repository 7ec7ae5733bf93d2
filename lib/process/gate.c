/* SPDX-License-Identifier: LGPL-3.0-or-later
 * The gate to memory of the program. */
#include "config.h"

#include "lib/process/gate.h"

#include <sched.h>
#include <stdatomic.h>
#include <sys/mman.h>
#include <unistd.h>

enum { MOST_LOANS = 64 };

static atomic_int inside, is_shut;

/* Memory that the device is writing; free where there is no owner. */
static struct loan {
    const void *_Atomic owner;
    void *p;
    size_t bytes;
} loans[MOST_LOANS];

/* Whoever comes in counts first and looks then; whoever shuts, the other way. */
int gate_enter(void) {
    atomic_fetch_add(&inside, 1);
    if (!atomic_load(&is_shut))
        return 1;
    gate_leave();
    return 0;
}

void gate_leave(void) {
    atomic_fetch_sub(&inside, 1);
}

static int note(const void *owner, void *p, size_t bytes) {
    for (int i = 0; i < MOST_LOANS; i++) {
        const void *none = NULL;
        if (atomic_compare_exchange_strong(&loans[i].owner, &none, owner)) {
            loans[i].p = p;
            loans[i].bytes = bytes;
            return 1;
        }
    }
    return 0;
}

int gate_acquire(const void *owner, void *p, size_t bytes) {
    if (!gate_enter())
        return 0;
    int lent = note(owner, p, bytes);
    gate_leave();
    return lent;
}

void gate_release(const void *owner) {
    for (int i = 0; i < MOST_LOANS; i++)
        if (atomic_load(&loans[i].owner) == owner)
            atomic_store(&loans[i].owner, NULL);
}

/* Other pages for these addresses.  A program that waits is better than one with a wrong
 * result. */
static void replace(const struct loan *loan) {
    while (mmap(loan->p, loan->bytes, PROT_READ | PROT_WRITE,
                MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED, -1, 0) == MAP_FAILED)
        sleep(1);
}

void gate_shut(void) {
    atomic_store(&is_shut, 1);
    while (atomic_load(&inside) > 0)
        sched_yield();
    for (int i = 0; i < MOST_LOANS; i++) {
        if (atomic_load(&loans[i].owner)) {
            replace(&loans[i]);
            atomic_store(&loans[i].owner, NULL);
        }
    }
}
