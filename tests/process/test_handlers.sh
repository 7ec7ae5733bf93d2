#!/bin/sh
# SPDX-License-Identifier: LGPL-3.0-or-later
# Checks that signal handlers run while a call waits for the device, as with GMP alone. A handler
# may return, leave the call by siglongjmp, call _exit or end its thread. A thread may also be
# cancelled during the call. The device must compute the next calls. No check depends on time: if a
# handler does not run, the test hangs or fails.
. "$(dirname "$0")/../support/common.sh"
need_opencl_or_cuda
handlers=$builddir/tests/process/handlers
OPENS='wait'
handle() {
    for how in ticks leave thread cancel _exit; do
        MORE=stats:text as_alone "$handlers" $how
        [ "$how" = _exit ] || [ "$(sent "$work/wait.err")" -ge 1 ] || fail "$how: not sent: $(cat "$work/wait.err")"
        echo "$how: $(tail -1 "$work/wait.out")"
    done
}
both_ways handle
SERVER=off
# Runs handlers while kernels are being built; a new cache makes sure that they are built.
MORE=cache:$work/cache as_alone "$handlers" thread
echo "while kernels are built: right"
