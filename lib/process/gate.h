/* SPDX-License-Identifier: LGPL-3.0-or-later
 * Gates to the program's memory, one for each device. Threads of this library must enter the
 * device's gate before they copy from or to that memory. If the device does not answer, its gate is
 * shut for ever and the program continues. What the device does later changes nothing in the
 * program's memory. */
#ifndef MPGPU_GATE_H
#define MPGPU_GATE_H

#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>

enum { GATE_SHARED = 64 };

/* A gate to the program's memory. It must be all zero at first, which means that it is open. */
struct gate {
    /* is_done: gate_shut has mapped new pages for all acquired memory */
    atomic_int inside, is_shut, is_done;
    /* memory that the device is writing; the entry is free if `owner` is NULL */
    struct gate_shared {
        const void *_Atomic owner;
        void *p;
        size_t bytes;
    } shared[GATE_SHARED];
};

/* Enters a device's gate before a copy from or to the program's memory. Returns false if the gate
 * is shut, because the device has not answered. Otherwise the caller must soon call gate_leave,
 * without waiting in between. */
bool gate_enter(struct gate *g);
void gate_leave(struct gate *g);

/* Allows the device to write {p, bytes}, whole pages of private memory that it has page-locked.
 * Call it before the device is asked to write. When the gate is shut later, new pages are mapped at
 * these addresses, and the device continues to write to the old pages. Returns false if the gate is
 * shut or has no free entry. `owner` identifies memory that is released together. */
bool gate_acquire(struct gate *g, const void *owner, void *p, size_t bytes);

/* Releases all memory that `owner` has acquired; the device must have written it completely.
 * Returns false if the gate is shut: this memory then has new pages, without the device's data. */
bool gate_release(struct gate *g, const void *owner);

/* Finds the first part of {p, bytes} in which gate_shut has mapped new pages. Sets *begin to its
 * address and returns its bytes, or returns 0 if there is none. */
size_t gate_replaced(char *p, size_t bytes, char **begin);

/* Shuts a device's gate to the program's memory. When it returns, no thread is inside the gate, no
 * thread can enter it, and the device writes no acquired memory. Several threads may call it. */
void gate_shut(struct gate *g);

/* Returns true if the device's gate is shut, because the device has not answered. A thread that
 * called the device may still return from its driver later. */
bool gate_is_shut(struct gate *g);

/* Returns true if any device has not answered, so that its gate has been shut. */
bool gate_any_is_shut(void);

#endif
