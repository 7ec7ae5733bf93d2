#!/bin/sh
# SPDX-License-Identifier: LGPL-3.0-or-later
# A device that is slower than GMP for eight threads, by a profile that sends it nearly everything:
# results are right, GMP gets most calls, and the threads get about as much done as by GMP alone. An
# order is an order, and dispatch:fixed sends all.
. "$(dirname "$0")/../support/common.sh"
need_opencl_or_cuda
busy=$builddir/tests/programs/busy
seconds=${MPGPU_TEST_SECONDS:-3}
printf 'mul: 16\nsqr: 16\nmulmod: 16\nadd: never\nbatch: never\n' >"$work/small.profile"

# Options $1, $2 threads, operands of $3 limbs: statistics to $work/err, operations to $work/out.
with() {
    MPGPU_CONF="profile:$work/small.profile,stats:text,$1" LD_PRELOAD=$library \
        timeout 120 "$busy" "$2" "$seconds" "$3" >"$work/out" 2>"$work/err" ||
        fail "$*: exit status $?: $(cat "$work/out" "$work/err")"
}

# Column $1 of the row of all calls: 3 their number, 4 those sent.
column() {
    awk -v c="$1" '$2 == "all" { print $c }' "$work/err"
}

# The count of outcome $1 in that row.
outcome() {
    awk -v word="$1" '$2 == "all" { for (i = 3; i < NF; i++) if ($i == word) sum += $(i + 1) }
        END { print sum + 0 }' "$work/err"
}

# Is as much done with the library as the half of what GMP does alone?  Other tests run meanwhile, at
# times more of them: so it may be tried again.
is_as_much() {
    for try in 1 2 3; do
        [ "$try" -eq 1 ] || with "$1,open:wait" 8 1000
        with_library=$(cat "$work/out")
        alone=$("$busy" 8 "$seconds" 1000)
        echo "$backend: operations $with_library, by GMP alone $alone"
        [ "$with_library" -le $((alone / 2)) ] || return 0
    done
    return 1
}

for backend in $(backends); do
    device=backend:$backend,device:0
    [ "$backend" != opencl ] || device=backend:opencl
    # What is built meanwhile would take GMP's time, too.
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
        is_as_much "$device" || fail "$with_library operations, by GMP alone $alone"
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
