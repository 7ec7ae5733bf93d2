#!/bin/sh
# SPDX-License-Identifier: LGPL-3.0-or-later
# Tests examples/points, which computes values of a polynomial at many points and interpolates: the
# output must be the same with GMP alone and with each backend.  Bad arguments must be refused.
. "$(dirname "$0")/../support/common.sh"
points=$builddir/examples/points
LD_LIBRARY_PATH=$builddir/.libs${LD_LIBRARY_PATH:+:$LD_LIBRARY_PATH}
export LD_LIBRARY_PATH

for arguments in 0 -5 x 5x 99999999999999999999999 "20 7" "5 x" "5 7 9"; do
    status=0
    # shellcheck disable=SC2086 # several arguments
    "$points" $arguments >"$work/out" 2>"$work/err" || status=$?
    [ $status -eq 2 ] || fail "points $arguments: exit status $status, not 2"
    [ -s "$work/err" ] || fail "points $arguments: no message"
    [ ! -s "$work/out" ] || fail "points $arguments: output"
done
prime=6864797660130609714981900799081393217269435300143305409394463459185543183397656052122559640661454554977296311391480858037121987999716643812574028291115057151
for arguments in 1 2 100 1000 "150 $prime"; do
    # shellcheck disable=SC2086 # several arguments
    MPGPU_CONF=backend:none "$points" $arguments >>"$work/gmp" 2>>"$work/log" || fail "points $arguments"
done
grep -q 'the sum of 1000 values is [0-9]*$' "$work/gmp" || fail "no sum: $(cat "$work/gmp")"
for backend in $(backends); do
    for arguments in 1 2 100 1000 "150 $prime"; do
        # shellcheck disable=SC2086 # several arguments
        MPGPU_CONF=backend:$backend,open:wait,watchdog:600,batch:1,stats:text "$points" $arguments \
            >>"$work/$backend" 2>"$work/stats" || fail "$backend: points $arguments: $(cat "$work/stats")"
        awk '$2 == "mpgpu_poly" { sent += $4 } END { exit sent < 1 }' "$work/stats" ||
            [ "$arguments" = 1 ] || fail "$backend: points $arguments: nothing was sent"
    done
    same "$work/gmp" "$work/$backend"
done
