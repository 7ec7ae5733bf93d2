/* SPDX-License-Identifier: LGPL-3.0-or-later
 * The gate to the program's memory.  Threads of ours that copy from or to that memory pass the
 * gate.  When a device does not answer and the program goes on without it, the gate is shut for
 * good, so that a late answer changes nothing. */
#ifndef MPGPU_GATE_H
#define MPGPU_GATE_H

#include <stdbool.h>
#include <stddef.h>

/* False where it is shut.  Otherwise gate_leave must follow soon: no waiting in between. */
bool gate_enter(void);
void gate_leave(void);

/* Call this before the device is asked to write {p, bytes}: whole pages of private memory that it
 * has locked.  False where it may not.  When the gate is shut, other pages are mapped at these
 * addresses, and the device writes into the pages that it has locked.  `owner` names what is
 * released together. */
bool gate_acquire(const void *owner, void *p, size_t bytes);

/* The device is done with all that `owner` has acquired. */
void gate_release(const void *owner);

/* The first part of {p, bytes} that has other pages since the gate was shut: its begin and its
 * bytes; 0 if there is none. */
size_t gate_replaced(char *p, size_t bytes, char **begin);

/* Afterwards nobody is inside or comes in, and nothing writes memory that was acquired. */
void gate_shut(void);

#endif
