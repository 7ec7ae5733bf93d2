#!/bin/sh
# SPDX-License-Identifier: LGPL-3.0-or-later
# A program whose own malloc comes without aligned_alloc gets no driver: the driver would free with
# one what the other allocated.  Its output is the same, and the statistics say why.  A program with
# libc's malloc gets a driver, also if the address of free is in the program.  Before main the
# program's malloc is not called, and dlerror stays the program's.  A program whose own malloc is
# complete gets a device, its own or that of mpgpu-serve.
. "$(dirname "$0")/../support/common.sh"
as_alone "$builddir/tests/process/allocator"
need_opencl_or_cuda
MORE=stats:text as_alone "$builddir/tests/process/allocator"
cat "$work/wait.err"
grep -q '^mpgpu: device: none: the program has a malloc of its own' "$work/wait.err" ||
    fail "the statistics don't say why there was no device"
MORE=stats:text as_alone "$builddir/tests/process/fixed"
[ "$(sent "$work/wait.err")" -ge 1 ] || fail "at a fixed address: nothing was sent: $(cat "$work/wait.err")"
MORE=stats:text as_alone "$builddir/tests/process/allocator_complete"
[ "$(sent "$work/wait.err")" -ge 1 ] || fail "a complete malloc: nothing was sent: $(cat "$work/wait.err")"

. "$srcdir/tests/support/serve.sh"
begin
MORE=stats:text,server:only,watchdog:600 OPENS=wait as_alone "$builddir/tests/process/allocator_complete"
by_server "$work/wait.err"
all_are_gone
end
