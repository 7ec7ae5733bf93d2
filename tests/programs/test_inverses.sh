#!/bin/sh
# SPDX-License-Identifier: LGPL-3.0-or-later
# Tests examples/inverses, which computes many inverses at once: the output must be the same with
# GMP alone and on every backend.
. "$(dirname "$0")/../support/common.sh"
inverses=$builddir/examples/inverses
LD_LIBRARY_PATH=$builddir/.libs${LD_LIBRARY_PATH:+:$LD_LIBRARY_PATH}
export LD_LIBRARY_PATH

for argument in '' 5 '0 5' '5 0' '-1 5' '5 x' '5 4097' '1 2 3'; do
    status=0
    # shellcheck disable=SC2086 # split on purpose
    "$inverses" $argument >"$work/out" 2>"$work/err" || status=$?
    [ $status -eq 2 ] || fail "inverses $argument: exit status $status, not 2"
    [ -s "$work/err" ] || fail "inverses $argument: no message"
    [ ! -s "$work/out" ] || fail "inverses $argument: output"
done

for sizes in '1 1' '1000 3' '77 64' '5 300'; do
    # shellcheck disable=SC2086
    MPGPU_CONF=backend:none "$inverses" $sizes >>"$work/gmp" 2>>"$work/log" || fail "inverses $sizes"
done
[ "$(wc -l <"$work/gmp")" -eq 4 ] || fail "$(cat "$work/gmp")"
! grep -v ' 0 operations' "$work/log" || fail "backend:none has sent something"

need_opencl_or_cuda
for backend in $(backends); do
    for sizes in '1 1' '1000 3' '77 64' '5 300'; do
        # shellcheck disable=SC2086
        MPGPU_CONF=backend:$backend,open:wait,batch:1,stats:text "$inverses" $sizes \
            >>"$work/$backend" 2>"$work/stats" || fail "$backend: inverses $sizes: $(cat "$work/stats")"
        ! grep -q ' 0 operations' "$work/stats" || fail "$backend: nothing was sent"
        grep -q mpgpu_batch_mul "$work/stats" || fail "$backend: $(cat "$work/stats")"
    done
    same "$work/gmp" "$work/$backend"
done
