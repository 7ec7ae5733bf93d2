#!/bin/sh
# SPDX-License-Identifier: LGPL-3.0-or-later
# Checks programs with a malloc of their own. One without aligned_alloc gets no driver, because the
# driver would free by one allocator what the other allocated; its output is as with GMP alone, and
# the statistics give the reason.  A program with libc's malloc gets a driver, even if the address
# of free is in the program.  The library does not call the program's malloc before main, nor change
# its dlerror.  A program whose own malloc is complete gets a device, in its own process or by
# mpgpu-serve.
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
