#!/bin/sh
# SPDX-License-Identifier: LGPL-3.0-or-later
# A program whose malloc has no aligned_alloc to it gets no driver into its process, which would
# free by the one what the other has made: the same output, and the statistics say why. One that
# has libc's gets it, also where the address of free is one in the program.  Before main nothing is
# asked of a program's malloc, and no error of the dynamic linker's is made or lost.
. "$(dirname "$0")/../support/common.sh"
as_alone "$builddir/tests/process/allocator"
need_opencl_or_cuda
MORE=stats:text as_alone "$builddir/tests/process/allocator"
cat "$work/wait.err"
grep -q '^mpgpu: device: none: the program has a malloc of its own' "$work/wait.err" ||
    fail "the statistics don't say why there was no device"
MORE=stats:text as_alone "$builddir/tests/process/fixed"
[ "$(sent "$work/wait.err")" -ge 1 ] || fail "at a fixed address: nothing was sent: $(cat "$work/wait.err")"
