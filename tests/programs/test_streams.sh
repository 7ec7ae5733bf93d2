#!/bin/sh
# SPDX-License-Identifier: LGPL-3.0-or-later
# Calls gmp_fprintf on streams that fail after a number of bytes.  The returned numbers and the
# written bytes must be GMP's, for large numbers of each kind and buffers of several sizes.
. "$(dirname "$0")/../support/common.sh"
need_opencl_or_cuda
export XDG_CACHE_HOME="${XDG_CACHE_HOME:-$builddir/tests/home}"
for backend in $(backends); do
    OPENS=wait MORE=backend:$backend,watchdog:600,stats:text as_alone "$builddir/tests/programs/streams"
    [ "$(grep -c " -1," "$work/alone.out")" -gt 10 ] && [ "$(grep -c "error 1" "$work/alone.out")" -gt 50 ] ||
        fail "no stream fails: $(cat "$work/alone.out")"
    awk '$2 == "gmp_fprintf" && $4 > 0 { found = 1 } END { exit !found }' "$work/wait.err" ||
        fail "no text is made on the device: $(cat "$work/wait.err")"
    echo "passed: $backend, $(wc -l <"$work/alone.out") streams"
done
