#!/bin/sh
# SPDX-License-Identifier: LGPL-3.0-or-later
# Tests mpgpu-info: its output, including the files from which values come, and bad arguments.
. "$(dirname "$0")/../support/common.sh"
info=$builddir/tools/mpgpu-info

# The output must have a line that matches $1.
expect() {
    grep -q -- "$1" "$work/out" || fail "no '$1' in: $(cat "$work/out" "$work/err")"
}

mkdir -p "$work/mpgpu-gmp"
echo 'sqr: 321 # limbs' >"$work/mpgpu-gmp/mpgpu.conf"
XDG_CONFIG_HOME=$work MPGPU_CONF=mul:123,backend:none "$info" >"$work/out" 2>"$work/err" ||
    fail "exit status $?"
[ -s "$work/err" ] && fail "messages: $(cat "$work/err")"
expect '^mpgpu-gmp [0-9]'
expect '^  version [0-9]'
expect '^  library .*libgmp'
expect '^  inner calls can'
expect '^FLINT$'
if ldconfig -p 2>/dev/null | grep -q 'libflint\.so\.[0-9]'; then
    expect '^  version [23]\.'
    expect '^  library .*libflint'
    expect '^  large products are caught$'
fi
expect '^no device in use$'
expect '^  backend:none (MPGPU_CONF)$'
expect "^  sqr:321 ($work/mpgpu-gmp/mpgpu.conf:1)\$"
expect '^  add:auto (default)$'
expect '^no profile in force: no device$'

# A mock driver ends the process when it is loaded, or when it is asked for devices.  mpgpu-info
# must still print the rest.
cat >"$work/driver.c" <<'C'
#include <stdlib.h>
#ifdef AT_ONCE
__attribute__((constructor)) static void begin(void) {
    END;
}
#endif
#include "stubs.h"
int clGetPlatformIDs(unsigned count, void *platforms, unsigned *number);
int clGetPlatformIDs(unsigned count, void *platforms, unsigned *number) {
    (void)count, (void)platforms, (void)number;
    END;
    return -1;
}
C
mkdir -p "$work/driver"
sed -n 's/^ *X([a-z_]*, \(cl[A-Za-z]*\)).*/int \1(void); int \1(void) { return -1; }/p' "$srcdir/gpu/opencl_driver.h" |
    grep -v clGetPlatformIDs >"$work/stubs.h"
for end in 'abort()' '_Exit(3)' '_Exit(0)'; do
    for when in '' -DAT_ONCE; do
        # shellcheck disable=SC2086 # nothing, or one word
        $CC -shared -fPIC "-DEND=$end" $when -o "$work/driver/libOpenCL.so.1" "$work/driver.c" ||
            break 2
        status=0
        LD_LIBRARY_PATH=$work/driver MPGPU_CONF=backend:opencl "$info" >"$work/out" 2>"$work/err" || status=$?
        [ $status -eq 0 ] || fail "a driver with $end $when: exit status $status"
        grep -q '^options$' "$work/out" || fail "a driver with $end $when: $(cat "$work/out" "$work/err")"
        grep -q '^backend opencl: ' "$work/out" || fail "a driver with $end $when: $(cat "$work/out")"
    done
done

present=$(backends)
for backend in cuda opencl; do
    if ! echo "$present" | grep -qx "$backend"; then
        echo "skipped: mpgpu-info with $backend: no such device on this machine"
        continue
    fi
    MPGPU_CONF=backend:$backend "$info" >"$work/out" 2>"$work/err" || fail "exit status $?"
    expect "^backend $backend: [1-9]"
    expect '^device in use$'
    expect "^  $backend: "
    expect '^profile in force$'
    expect '^  mul: .* (built-in .*:[0-9]*)$'
    expect '^  div: [0-9.]* times mul, [0-9a-z]* .*(\(default\|built-in .*:[0-9]*\))$'
    # A profile that the user wrote must be in force, and an option must override it.
    printf 'backend: %s\nmul: 700 # limbs\nsqr: 500\ndiv: 6\nadd: x\nalgorithm: 90 ntt\n' $backend \
        >"$work/mpgpu-gmp/mine.profile"
    echo 'backend: none' >"$work/mpgpu-gmp/other.profile"
    echo 'mul: 1' >>"$work/mpgpu-gmp/other.profile"
    XDG_CONFIG_HOME=$work MPGPU_CONF=backend:$backend "$info" >"$work/out" 2>"$work/err" || fail "exit status $?"
    expect "^  mul: 700 limbs ($work/mpgpu-gmp/mine.profile:2)\$"
    expect "^  sqr: 321 limbs ($work/mpgpu-gmp/mpgpu.conf:1)\$"
    expect "^  div: 6 times mul, 4200 limbs ($work/mpgpu-gmp/mine.profile:4)\$"
    expect "^  algorithm: 90 ntt ($work/mpgpu-gmp/mine.profile)\$"
    expect '^  add: .* (built-in '
    grep -q "^mpgpu: $work/mpgpu-gmp/mine.profile:5: bad value \"x\" for key \"add\"" "$work/err" ||
        fail "no warning: $(cat "$work/err")"
    MPGPU_CONF=backend:$backend,profile:$work/mpgpu-gmp/mine.profile,confirm:true,open:wait LD_PRELOAD=$library \
        "$builddir/examples/pi" 20000 2>"$work/out" >"$work/digits" || fail "confirm: exit status $?"
    expect "^mpgpu: mul: 700 limbs ($work/mpgpu-gmp/mine.profile:2)\$"
    rm "$work"/mpgpu-gmp/*.profile
done
# --build fills an empty cache, and builds nothing in a second run.  PoCL has an additional cache
# for its own builds.
if echo "$present" | grep -qx opencl; then
    export MPGPU_CONF="backend:opencl,cache:$work/cache"
    "$info" --build >"$work/out" 2>"$work/err" || fail "--build: exit status $?: $(cat "$work/err")"
    expect '^device: opencl: '
    built=$(sed -n 's/^kernels: \([0-9]*\) programs built in [0-9.]* s, kept for later$/\1/p' "$work/out")
    [ "${built:-0}" -ge 12 ] || fail "--build: $(cat "$work/out")"
    # Besides the built programs, the cache has a file that marks it as complete.
    [ "$(find "$work/cache" -type f | wc -l)" -eq $((built + 1)) ] || fail "--build: $built programs, in the cache: $(ls "$work/cache")"
    "$info" --build >"$work/out" 2>"$work/err" || fail "--build again: exit status $?"
    expect '^kernels: none to be built$'
    # The statistics report the time of builds separately from the kernels' time.
    remove "$work/cache"
    "$run" --wait --threshold 500 --stats "$builddir/examples/pi" 20000 2>"$work/out" >"$work/digits" ||
        fail "pi with an empty cache: exit status $?"
    expect '^mpgpu: building: [0-9]* programs, waited [0-9.]* s for them, in calls [0-9.]* s '
    remove "$work/cache"
    "$run" --wait --threshold 500 --stats=json "$builddir/examples/pi" 20000 2>"$work/out" >"$work/digits" ||
        fail "pi with an empty cache: exit status $?"
    expect '"building":{"programs":[0-9]*,"waited":[0-9.]*,"in_calls":[0-9.]*}'
    "$info" --build >"$work/out" 2>"$work/err" || fail "--build of the rest: exit status $?"
    "$run" --wait --threshold 500 --stats "$builddir/examples/pi" 20000 2>"$work/out" >"$work/digits" ||
        fail "pi with the cache: exit status $?"
    ! grep building "$work/out" || fail 'built again'
    unset MPGPU_CONF
fi
! MPGPU_CONF=backend:none "$info" --build >"$work/out" 2>"$work/err" || fail '--build without a device'
expect '^device: backend:none$'

MPGPU_CONF=backend:none,profile:$work/none "$info" 2>"$work/out" >"$work/err" || fail "exit status $?"
expect "^mpgpu: profile $work/none is not used: No such file"

"$info" --help >"$work/out" || fail "--help: exit status $?"
expect '^Usage: mpgpu-info'
"$info" --version >"$work/out" || fail "--version: exit status $?"
expect '^mpgpu-info (mpgpu-gmp) [0-9]'
status=0
"$info" --colour >"$work/out" 2>&1 || status=$?
[ "$status" -eq 2 ] || fail "unknown argument: exit status $status"
expect 'unknown argument --colour'
