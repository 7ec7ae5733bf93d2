/* SPDX-License-Identifier: LGPL-3.0-or-later
 * The gate to memory of the program. */
#include "gate.h"

#include <sched.h>
#include <stdatomic.h>

static atomic_int inside, is_shut;

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

void gate_shut(void) {
    atomic_store(&is_shut, 1);
    while (atomic_load(&inside) > 0)
        sched_yield();
}
