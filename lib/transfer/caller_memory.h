/* SPDX-License-Identifier: LGPL-3.0-or-later
 * A job names memory of its caller by addresses.  The engine reads and writes this memory by copies
 * (lib/transfer/transfer.h) and by the functions here, and never uses such an address itself: the
 * caller may be another process.
 *
 * `hold` is the stream's (lib/process/hold.h).  It is NULL in the caller's own thread, whose memory
 * stays while the call lasts.  Any thread may call these functions. */
#ifndef MPGPU_CALLER_MEMORY_H
#define MPGPU_CALLER_MEMORY_H

#include <stdbool.h>
#include <stddef.h>
#include <string.h>

#include "lib/process/hold.h"

/* Returns where this process finds {p, bytes}, which may be read until caller_leave, or NULL if the
 * caller has left (hold_refusal says what that means).  What is read there may change meanwhile. */
const void *caller_enter(struct hold *hold, const void *p, size_t bytes);

/* The same for a result, which may be written. */
void *caller_enter_result(struct hold *hold, void *p, size_t bytes);

/* Call it after each of these that has not returned NULL. */
void caller_leave(struct hold *hold);

/* Copies {from, bytes} of the caller.  Returns false if the caller has left. */
static inline bool caller_read(struct hold *hold, void *to, const void *from, size_t bytes) {
    const void *p = caller_enter(hold, from, bytes);
    if (!p)
        return false;
    memcpy(to, p, bytes);
    caller_leave(hold);
    return true;
}

/* Copies {from, bytes} to the caller.  Returns false if the caller has left. */
static inline bool caller_write(struct hold *hold, void *to, const void *from, size_t bytes) {
    void *p = caller_enter_result(hold, to, bytes);
    if (!p)
        return false;
    memcpy(p, from, bytes);
    caller_leave(hold);
    return true;
}

#endif
