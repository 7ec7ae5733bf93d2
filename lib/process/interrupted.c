/* SPDX-License-Identifier: LGPL-3.0-or-later
 * Detects signal handlers by unwinding the stack. The unwinder marks the frame of a signal handler:
 * its address is the address of the interrupted instruction, not a return address. */
#include "lib/process/interrupted.h"

#include <unwind.h>

static _Unwind_Reason_Code find_signal_frame(struct _Unwind_Context *frame, void *found) {
    int is_signal = 0;
    _Unwind_GetIPInfo(frame, &is_signal);
    *(int *)found = is_signal;
    return is_signal ? _URC_END_OF_STACK : _URC_NO_REASON;
}

bool interrupted(void) {
    int found = 0;
    _Unwind_Backtrace(find_signal_frame, &found);
    return found;
}
