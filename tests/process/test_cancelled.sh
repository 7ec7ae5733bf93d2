#!/bin/sh
# SPDX-License-Identifier: LGPL-3.0-or-later
# Checks that threads which are cancelled while they multiply end as with GMP alone, and that other
# threads can still use the device. SIGKILL ends a hanging program, because it may block other
# signals.
. "$(dirname "$0")/../support/common.sh"
need_opencl_or_cuda
cancelled=$builddir/tests/process/cancelled
"$cancelled" 500 1 >"$work/alone" || fail "alone: exit status $?"

# cancel BACKEND LIMBS SECONDS OPTIONS: runs the program with operands of LIMBS limbs.
cancel() {
    status=0
    MPGPU_CONF="backend:$1,open:wait,mul:1,sqr:1,stats:text,server:$SERVER,$4" LD_PRELOAD=$library \
        timeout -s KILL 300 "$cancelled" "$2" "$3" >"$work/out" 2>"$work/err" || status=$?
    [ $status -eq 0 ] || fail "$1, $2 limbs, $4: exit status $status: $(cat "$work/out")"
    same "$work/alone" "$work/out"
    [ "$(sent "$work/err")" -ge 40 ] || fail "$1, $2 limbs, $4: not sent: $(cat "$work/err")"
    awk '$2 == "all" { exit $3 != $4 }' "$work/err" || fail "$1, $2 limbs, $4: not all sent: $(cat "$work/err")"
    echo "$1, $2 limbs, $4: right"
}

cancel_all() {
    for backend in $(backends); do
        cancel "$backend" 500 5 log:3
        cancel "$backend" 500 3 streams:1,verify:off
        cancel "$backend" 2 2 log:1
        cancel "$backend" 50 2 log:1
    done
}
both_ways cancel_all
