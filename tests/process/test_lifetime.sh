#!/bin/sh
# SPDX-License-Identifier: LGPL-3.0-or-later
# Computes products in constructors, destructors and exit handlers. Also computes with closed
# standard descriptors: the program's own files then get the numbers 0 to 2.
. "$(dirname "$0")/../support/common.sh"
need_opencl_or_cuda
lifetime=$builddir/tests/process/lifetime
begin_and_end() {
    as_alone "$lifetime"
    MORE=stats:text OPENS=wait as_alone "$lifetime"
    [ "$(sent "$work/wait.err")" -ge 2 ] || fail "not sent to the device: $(cat "$work/wait.err")"
}
both_ways begin_and_end

# The file must contain only what the program writes, whatever the library prints.
status=0
"$lifetime" "$work/file.alone" <&- >&- 2>&- || status=$?
[ $status -eq 8 ] || fail "closed files: exit status $status"
for conf in open:wait,stats:text,log:3,confirm:true open:now,stats:json,log:3 no-such-key:1; do
    rm -f "$work/file"
    status=0
    MPGPU_CONF=mul:1,sqr:1,$conf LD_PRELOAD=$library "$lifetime" "$work/file" <&- >&- 2>&- || status=$?
    [ $status -eq 8 ] || fail "closed files, $conf: exit status $status"
    same "$work/file.alone" "$work/file"
done
