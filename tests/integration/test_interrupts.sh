#!/bin/sh
# SPDX-License-Identifier: LGPL-3.0-or-later
# Signals while a device is opened and works: handlers run, multiply and exit as
# with GMP alone, and the statistics are written at the end all the same.
. "$(dirname "$0")/common.sh"
need_opencl_or_cuda
interrupts=$builddir/tests/integration/interrupts
for what in storm multiply end; do
    as_alone "$interrupts" $what
    echo "$what: $(cat "$work/wait.out")"
done
MORE=stats:text OPENS=wait
for what in storm end; do
    as_alone "$interrupts" $what
    [ "$(sent "$work/wait.err")" -ge 1 ] || fail "$what: no statistics: $(cat "$work/wait.err")"
done
