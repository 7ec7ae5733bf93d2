#!/bin/sh
# SPDX-License-Identifier: LGPL-3.0-or-later
# Tests the option `device` with lists of devices.  The log must name entries that are no device,
# the other devices must be used, and results must be GMP's.
. "$(dirname "$0")/../support/common.sh"

# Runs pi with option device:$1.  Its digits must be right; messages are in $work/err.
digits() {
    MPGPU_CONF=device:$1,backend:$backend,open:wait,dispatch:fixed,mul:500,stats:json \
        LD_PRELOAD=$library "$builddir/examples/pi" 20000 >"$work/digits" 2>"$work/err" ||
        fail "device:$1: exit status $?"
    cmp -s "$work/right" "$work/digits" || fail "device:$1: wrong digits"
}
said() {
    grep -q -- "$1" "$work/err" || fail "no '$1' in: $(cat "$work/err")"
}

"$builddir/examples/pi" 20000 >"$work/right" 2>/dev/null || fail "pi: exit status $?"
present=$(backends)
[ -n "$present" ] || skip 'no device'
for backend in $present; do
    digits 0+99
    said '^mpgpu: device:0+99: `99` is no device here; the others are used$'
    said '"sent":[1-9]'
    digits 0++0
    said '^mpgpu: device:0++0: `` is no device here'
    said '^mpgpu: device:0++0: `0` is in the list already'
    said '"sent":[1-9]'
    digits 98+99
    said '"device":"none for backend'
    digits all
    said '"sent":[1-9]'
    grep -q 'the others are used' "$work/err" && fail "a warning for all: $(cat "$work/err")"
    # PoCL offers two devices, one of which can be opened.
    POCL_DEVICES='basic basic' MPGPU_CONF=backend:$backend,device:1+0 \
        "$builddir/tools/mpgpu-info" >"$work/out" 2>"$work/err" || fail "mpgpu-info: exit status $?"
    grep -q '^device in use$' "$work/out" || fail "no device in use: $(cat "$work/out" "$work/err")"
done
