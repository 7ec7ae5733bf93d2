/* SPDX-License-Identifier: LGPL-3.0-or-later
 * The gate to the program's memory, one for each device.  Threads of ours that copy from or to that
 * memory for a device pass its gate.  When the device does not answer and the program goes on
 * without it, its gate is shut for good, so that a late answer changes nothing. */
#ifndef MPGPU_GATE_H
#define MPGPU_GATE_H

#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>

enum { GATE_SHARED = 64 };

/* Zero at first: open. */
struct gate {
    atomic_int inside, is_shut, is_done; /* the last: all that was acquired has other pages */
    struct gate_shared { /* memory that the device is writing; without an owner: free */
        const void *_Atomic owner;
        void *p;
        size_t bytes;
    } shared[GATE_SHARED];
};

/* False where it is shut.  Otherwise gate_leave must follow soon: no waiting in between. */
bool gate_enter(struct gate *g);
void gate_leave(struct gate *g);

/* Call this before the device is asked to write {p, bytes}: whole pages of private memory that it
 * has locked.  False where it may not.  When the gate is shut, other pages are mapped at these
 * addresses, and the device writes into the pages that it has locked.  `owner` names what is
 * released together. */
bool gate_acquire(struct gate *g, const void *owner, void *p, size_t bytes);

/* The device is done with all that `owner` has acquired.  False where the gate is shut: other pages
 * are there then, if it had not been released before. */
bool gate_release(struct gate *g, const void *owner);

/* The first part of {p, bytes} that has other pages since the gate was shut: its begin and its
 * bytes; 0 if there is none. */
size_t gate_replaced(char *p, size_t bytes, char **begin);

/* Afterwards nobody is inside or comes in, and nothing writes memory that was acquired.  Where
 * several threads shut it, that holds when each of them returns. */
void gate_shut(struct gate *g);

/* Is it shut?  Then a thread of that device may yet come back. */
bool gate_is_shut(struct gate *g);

/* Has any gate been shut? */
bool gate_any_is_shut(void);

#endif
