/* SPDX-License-Identifier: LGPL-3.0-or-later
 * Access guards of the program's memory, one for each device. Threads of this library must enter
 * the device's access guard before they copy from or to that memory. If the device does not answer,
 * its access guard is closed for ever and the program continues: the device can then no longer
 * change the program's memory. */
#ifndef MPGPU_ACCESS_GUARD_H
#define MPGPU_ACCESS_GUARD_H

#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>

enum { ACCESS_GUARD_SHARED = 64 };

/* A device's access guard to the program's memory. It must be all zero at first, which means that
 * it is open. */
struct access_guard {
    /* is_done: access_guard_close has mapped new pages for all acquired memory */
    atomic_int inside, is_closed, is_done;
    /* Memory that the device is writing. This entry of the list is free if `owner` is NULL. */
    struct access_guard_shared {
        const void *_Atomic owner;
        void *p;
        size_t bytes;
    } shared[ACCESS_GUARD_SHARED];
};

/* Enters a device's access guard before a copy from or to the program's memory. Returns false if
 * the access guard is closed. Otherwise the caller must soon call access_guard_leave, without
 * waiting in between. */
bool access_guard_enter(struct access_guard *g);
void access_guard_leave(struct access_guard *g);

/* Allows the device to write {p, bytes}: whole pages of private memory, page-locked for this
 * device. Call it before the device is asked to write. If the access guard is closed later, new
 * pages are mapped at these addresses, and the device writes to the old pages. Returns false if the
 * access guard is closed or has no free entry. All memory with the same `owner` is released
 * together. */
bool access_guard_acquire(struct access_guard *g, const void *owner, void *p, size_t bytes);

/* Releases all memory that `owner` has acquired; the device must have written it completely.
 * Returns false if the access guard is closed: the program then has new pages at these addresses,
 * without the device's data. */
bool access_guard_release(struct access_guard *g, const void *owner);

/* Finds the first part of {p, bytes} in which access_guard_close has mapped new pages. Sets *begin
 * to its address and returns its size in bytes. Returns 0 if there is no such part. */
size_t access_guard_replaced(char *p, size_t bytes, char **begin);

/* Closes a device's access guard to the program's memory. Afterwards no thread is inside the access
 * guard or can enter it, and the device writes no acquired memory. Several threads may call it. */
void access_guard_close(struct access_guard *g);

/* Returns true if the device's access guard is closed, because the device has not answered. A
 * thread that called the device may still return from its driver later. */
bool access_guard_is_closed(struct access_guard *g);

/* Returns true if the access guard of any device is closed, because the device has not answered. */
bool access_guard_any_is_closed(void);

#endif
