/* SPDX-License-Identifier: LGPL-3.0-or-later
 * Frames of signals in the stack, which the unwinder tells from those of calls: only of them the
 * address is that of the instruction to come, not of one behind a call. */
#include "lib/process/interrupted.h"

#include <unwind.h>

static _Unwind_Reason_Code look(struct _Unwind_Context *frame, void *found) {
    int is_signal = 0;
    _Unwind_GetIPInfo(frame, &is_signal);
    *(int *)found = is_signal;
    return is_signal ? _URC_END_OF_STACK : _URC_NO_REASON;
}

int interrupted(void) {
    int found = 0;
    _Unwind_Backtrace(look, &found);
    return found;
}
