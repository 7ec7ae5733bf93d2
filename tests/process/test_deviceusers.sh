#!/bin/sh
# SPDX-License-Identifier: LGPL-3.0-or-later
# Checks that programs which use CUDA or OpenCL themselves run as without the library, and that
# their GMP products still use the device.
. "$(dirname "$0")/../support/common.sh"
need_opencl_or_cuda
ran=
for user in cudauser opencluser; do
    program=$builddir/tests/process/$user
    [ -x "$program" ] || { echo "skipped: $user: not built"; continue; }
    status=0
    "$program" >"$work/first" 2>&1 || status=$?
    [ $status -ne 77 ] || { echo "skipped: $user: no device for it here"; continue; }
    [ $status -eq 0 ] || fail "$user alone: exit status $status: $(cat "$work/first")"
    ran=1
    MORE='' as_alone "$program"
    for backend in $(backends); do
        MORE=stats:text,backend:$backend OPENS=wait as_alone "$program"
        [ "$(sent "$work/wait.err")" -ge 10 ] || fail "$user, $backend: not sent: $(cat "$work/wait.err")"
        echo "$user, products by $backend: $(cat "$work/wait.out")"
    done
done
[ -n "$ran" ] || skip "neither CUDA nor OpenCL for programs of their own"
