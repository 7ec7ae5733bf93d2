/* SPDX-License-Identifier: LGPL-3.0-or-later
 * The caller is a thread of this process. */
#include "lib/transfer/caller_memory.h"

const void *caller_enter(struct hold *hold, const void *p, size_t bytes) {
    (void)bytes;
    return !hold || hold_enter(hold) ? p : NULL;
}

void *caller_enter_result(struct hold *hold, void *p, size_t bytes) {
    (void)bytes;
    return !hold || hold_enter_result(hold) ? p : NULL;
}

void caller_leave(struct hold *hold) {
    if (hold)
        hold_leave(hold);
}
