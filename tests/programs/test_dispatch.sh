#!/bin/sh
# SPDX-License-Identifier: LGPL-3.0-or-later
# Runs eight threads with a profile whose thresholds send nearly everything to a device slower than
# GMP.  Results must be right, and few calls may be sent.  With thresholds given as options, or with
# dispatch:fixed, all calls must be sent.  `mpgpu-bench threads` measures the rates.
. "$(dirname "$0")/../support/common.sh"
need_opencl_or_cuda
busy=$builddir/tests/programs/busy
seconds=${MPGPU_TEST_SECONDS:-3}
printf 'mul: 16\nsqr: 16\nmulmod: 16\nadd: never\nbatch: never\n' >"$work/small.profile"

# Runs `busy` with options $1, $2 threads and operands of $3 limbs.  Statistics go to $work/err, the
# number of operations to $work/out.
with() {
    MPGPU_CONF="profile:$work/small.profile,stats:text,$1" LD_PRELOAD=$library \
        timeout 120 "$busy" "$2" "$seconds" "$3" >"$work/out" 2>"$work/err" ||
        fail "$*: exit status $?: $(cat "$work/out" "$work/err")"
}

# Prints column $1 of the statistics' row of all calls: 3 is the number of calls, 4 the number sent.
column() {
    awk -v c="$1" '$2 == "all" { print $c }' "$work/err"
}

# Prints the number of calls that ended with outcome $1, from the statistics' row of all calls.
outcome() {
    awk -v word="$1" '$2 == "all" { for (i = 3; i < NF; i++) if ($i == word) sum += $(i + 1) }
        END { print sum + 0 }' "$work/err"
}

for backend in $(backends); do
    device=backend:$backend,device:0
    [ "$backend" != opencl ] || device=backend:opencl
    # Builds the kernels first, because a build during the measurement would slow down GMP, too.
    MPGPU_CONF=$device "$builddir/tools/mpgpu-info" --build >"$work/out" 2>&1 || fail "--build: $(cat "$work/out")"
    with "$device,open:wait" 8 1000
    grep '^mpgpu: \(all\|dispatch\)' "$work/err"
    calls=$(column 3)
    [ "$(column 4)" -gt 0 ] || fail "$backend: nothing was sent: $(cat "$work/err")"
    if [ "$backend" = opencl ]; then
        [ "$(outcome busy)" -gt $((calls / 2)) ] ||
            fail "not busy enough: $(cat "$work/err")"
        grep -q '^mpgpu: dispatch: auto; [1-9][0-9]* calls left to GMP' "$work/err" ||
            fail "no line: $(cat "$work/err")"
        # The device may compute a few calls while its times are learned, and 1 % of the calls to
        # measure it again.
        [ "$(column 4)" -le $((30 + calls / 100)) ] || fail "too many were sent: $(cat "$work/err")"
    fi

    with "$device,open:wait,dispatch:fixed" 8 1000
    grep -q '^mpgpu: dispatch: fixed' "$work/err" || fail "no line: $(cat "$work/err")"
    [ "$(outcome busy)" -eq 0 ] || fail "busy with dispatch:fixed: $(cat "$work/err")"
    with "$device,open:wait,mul:16,sqr:16" 8 1000
    [ "$(outcome busy)" -eq 0 ] || fail "busy against an order: $(cat "$work/err")"
    [ "$(column 3)" -eq "$(column 4)" ] || fail "not all were sent: $(cat "$work/err")"
done

MPGPU_CONF="profile:$work/small.profile,stats:json,open:wait" LD_PRELOAD=$library \
    "$busy" 8 1 1000 >"$work/out" 2>"$work/err"
need_command python3
sed -n 's/^mpgpu: //p' "$work/err" | python3 -c '
import json, sys
report = json.load(sys.stdin)
if not report["device"].startswith("none"):
    dispatch = report["dispatch"]
    assert dispatch["mode"] == "auto" and dispatch["busy"] > 0, dispatch
    assert set(dispatch) == {"mode", "busy", "trials", "samples", "wait_us", "account_us"}, dispatch
' || fail "JSON: $(cat "$work/err")"
