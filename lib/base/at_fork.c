/* SPDX-License-Identifier: LGPL-3.0-or-later
 * Calls handlers at a fork. Keeps its own list of handlers, since the C library does not report
 * what was registered with it. */
#include "lib/base/at_fork.h"

#include <pthread.h>
#include <stdatomic.h>

static struct {
    void (*before)(void);
    void (*in_parent)(void);
    void (*in_child)(void);
} handler[AT_FORK_MOST];
static atomic_int count;
static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER; /* keeps pthread_atfork's order */

void at_fork(void (*before)(void), void (*in_parent)(void), void (*in_child)(void)) {
    pthread_mutex_lock(&mutex);
    const int i = atomic_load(&count);
    if (i < AT_FORK_MOST) {
        handler[i].before = before;
        handler[i].in_parent = in_parent;
        handler[i].in_child = in_child;
        atomic_store(&count, i + 1);
    }
    pthread_atfork(before, in_parent, in_child);
    pthread_mutex_unlock(&mutex);
}

/* Calls the handlers as fork does, the last registered one first. */
void at_fork_before(void) {
    for (int i = atomic_load(&count) - 1; i >= 0; i--)
        if (handler[i].before)
            handler[i].before();
}

void at_fork_in_parent(void) {
    for (int i = 0; i < atomic_load(&count); i++)
        if (handler[i].in_parent)
            handler[i].in_parent();
}

void at_fork_in_child(void) {
    for (int i = 0; i < atomic_load(&count); i++)
        if (handler[i].in_child)
            handler[i].in_child();
}
