/* SPDX-License-Identifier: LGPL-3.0-or-later
 * The gate to the program's memory, one for each device. This library's threads pass the device's
 * gate when they copy from or to that memory. If the device does not answer, its gate is shut for
 * good and the program continues; a late answer then changes nothing. */
#ifndef MPGPU_GATE_H
#define MPGPU_GATE_H

#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>

enum { GATE_SHARED = 64 };

/* All zero at first: open. */
struct gate {
    atomic_int inside, is_shut, is_done; /* is_done: all acquired memory has new pages */
    struct gate_shared { /* memory that the device is writing; free if without an owner */
        const void *_Atomic owner;
        void *p;
        size_t bytes;
    } shared[GATE_SHARED];
};

/* Returns false if the gate is shut. Otherwise gate_leave must follow soon, without waiting in
 * between. */
bool gate_enter(struct gate *g);
void gate_leave(struct gate *g);

/* Call this before the device is asked to write {p, bytes}: whole pages of private memory that the
 * device has locked. Returns false if the gate is shut or has no entry free. When the gate is shut,
 * new pages are mapped at these addresses, and the device writes into the old, locked pages.
 * `owner` names memory that is released together. */
bool gate_acquire(struct gate *g, const void *owner, void *p, size_t bytes);

/* Releases all that `owner` has acquired: the device is done with it. Returns false if the gate is
 * shut; then memory that was not released before has new pages. */
bool gate_release(struct gate *g, const void *owner);

/* Returns the bytes of the first part of {p, bytes} that has new pages since the gate was shut, and
 * sets *begin to it. Returns 0 if there is none. */
size_t gate_replaced(char *p, size_t bytes, char **begin);

/* Shuts the gate. Afterwards no thread is inside or enters, and nothing writes acquired memory. If
 * several threads call it, that holds when each call returns. */
void gate_shut(struct gate *g);

/* Returns true if it is shut; a thread of that device may still return from its driver. */
bool gate_is_shut(struct gate *g);

/* Returns true if any gate has been shut. */
bool gate_any_is_shut(void);

#endif
