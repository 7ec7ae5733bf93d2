/* SPDX-License-Identifier: LGPL-3.0-or-later
 * The slots of gathered products (lib/session/gather.h). */
#ifndef MPGPU_GATHER_SLOTS_H
#define MPGPU_GATHER_SLOTS_H

#include <stdbool.h>

/* A slot for the calling thread, which waits for one in its turn; GATHER_SLOTS where the session is
 * not open any more. */
unsigned gather_slots_take(bool (*is_open)(void));

/* The same without waiting: GATHER_SLOTS where there is none. */
unsigned gather_slots_try(void);

/* The other way.  A slot that the device may yet write to is never given back. */
void gather_slots_give(unsigned slot);

#endif
