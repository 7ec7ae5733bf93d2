#!/bin/sh
# SPDX-License-Identifier: LGPL-3.0-or-later
# Tests a CPU as the device of mpgpu-serve. By default, the CPU is used only if its kernels were
# built before. Options can name the CPU; then helper processes build the kernels. If the driver
# cannot build them, the program must continue.
. "$(dirname "$0")/../support/common.sh"
program=$builddir/tests/process/surroundings
export POCL_DEVICES=basic
# The library's own cache is empty here. PoCL's own cache may already have the kernels, which saves
# most of the time.
export POCL_CACHE_DIR="${POCL_CACHE_DIR:-$XDG_CACHE_HOME/pocl/kcache}"

# With default options and without a GPU, the library must load no driver and create no thread.
is_gpu() {
    for file in /dev/nvidiactl /dev/nvidia0 /dev/dxg /dev/kfd /dev/dri/renderD*; do
        [ ! -e "$file" ] || return 0
    done
    return 1
}
if is_gpu; then
    echo "skipped: default options without a GPU: there is one"
else
    "$program" idle >"$work/alone"
    XDG_CONFIG_HOME=$work XDG_CACHE_HOME=$work/none LD_PRELOAD=$library "$program" idle >"$work/default"
    same "$work/alone" "$work/default"
    [ ! -e "$work/none" ] || fail "something was built"
    MPGPU_CONF=stats:text XDG_CONFIG_HOME=$work XDG_CACHE_HOME=$work/none LD_PRELOAD=$library "$program" idle 2>&1 >/dev/null |
        grep -q '^mpgpu: device: none: no GPU' || fail "the report does not say why"
    if command -v strace >/dev/null; then
        XDG_CONFIG_HOME=$work XDG_CACHE_HOME=$work/none strace -f -E LD_PRELOAD="$library" -o "$work/strace" "$program" idle >/dev/null ||
            skip "strace does not run here"
        ! grep -E '^[0-9]+ +(clone3?|v?fork)\(|lib(OpenCL|pocl|cuda)\.so|OpenCL/vendors' "$work/strace" ||
            fail "a driver was looked for"
    else
        echo "skipped: strace is not installed"
    fi
fi

backends | grep -qx opencl || skip "no OpenCL"
MPGPU_CONF=backend:opencl,open:wait,sqr:1,stats:text LD_PRELOAD=$library "$program" idle 2>&1 >/dev/null |
    grep -q '^mpgpu: device: .*(the CPU)' || skip "OpenCL's device is no CPU"
# With default thresholds, the CPU is opened only if a mark file says that all kernels are built.
"$program" large >"$work/large"
by_default() {
    XDG_CONFIG_HOME=$work XDG_CACHE_HOME=$work/kept MPGPU_CONF=stats:text,server:off,open:now LD_PRELOAD=$library \
        timeout 300 "$@" "$program" large >"$work/out" 2>"$work/err" || fail "default: exit status $?: $(cat "$work/err")"
    same "$work/large" "$work/out"
    ! grep '^mpgpu: building' "$work/err" || fail "default: something was built"
}
must_be_gmp() {
    [ "$(sent "$work/err")" -eq 0 ] || fail "something was sent: $(cat "$work/err")"
    grep -q "$1" "$work/err" || fail "not told: $(cat "$work/err")"
}
if ! is_gpu; then
    by_default
    must_be_gmp 'no kernels for the CPU are built'
    [ ! -e "$work/kept" ] || fail "a cache was made"
    POCL_DEVICES=pthread
    # No other test builds kernels for this device. Without optimisation, a build takes a sixth of
    # the time.
    export POCL_EXTRA_BUILD_FLAGS=-cl-opt-disable
    build() {
        XDG_CONFIG_HOME=$work XDG_CACHE_HOME=$work/kept "$builddir/tools/mpgpu-info" --build || fail "--build: exit status $?"
    }
    build
    # Removes the file that marks the cache as complete, as an update does. Then `mpgpu-info
    # --build` must build nothing and write this file again.
    kept=$(find "$work/kept/mpgpu-gmp" -type f | wc -l)
    find "$work/kept/mpgpu-gmp" -type f -size 1 -delete
    build | grep '^kernels: none to be built'
    [ "$(find "$work/kept/mpgpu-gmp" -type f | wc -l)" = "$kept" ] || fail "no mark"
    by_default
    [ "$(sent "$work/err")" -gt 0 ] || fail "built, and nothing was sent: $(cat "$work/err")"
    ! command -v taskset >/dev/null || {
        by_default taskset -c 0
        must_be_gmp 'one CPU alone'
    }
    # Removes the built kernels, as an update of the driver may do, but not the file that marks the
    # cache as complete. The CPU must not be used.
    find "$work/kept/mpgpu-gmp" -type f -size +1k -delete
    by_default
    must_be_gmp 'not in the cache'
    [ "$(find "$work/kept/mpgpu-gmp" -type f | wc -l)" = 1 ] || fail "something was built"
    echo 'default thresholds: where the kernels are built'
fi

# Uses an empty cache, and copies of the library and mpgpu-serve. The path of the copies
# distinguishes the processes of this test from those of other tests.
use_copies
options=backend:opencl,open:wait,mul:1000,sqr:1000,stats:text,log:1,server:private

# as_gmp WHAT PROGRAM...: runs the program with an empty cache and checks that it behaves as with
# GMP alone. Leaves the report in $work/err.
as_gmp() {
    what=$1
    shift
    remove "$work/cache" # the last program's helper may still write there
    mkdir -p "$work/cache"
    wanted=0
    "$@" >"$work/alone" 2>&1 || wanted=$?
    status=0
    XDG_CACHE_HOME=$work/cache MPGPU_CONF=$options LD_PRELOAD=$library timeout 600 "$@" >"$work/out" 2>"$work/err" ||
        status=$?
    [ $status -eq $wanted ] || fail "$what: exit status $status, alone $wanted: $(cat "$work/err")"
    same "$work/alone" "$work/out"
    echo "$what: $(sent "$work/err") sent"
}
must_send() {
    [ "$(sent "$work/err")" -gt 0 ] || fail "nothing was sent: $(cat "$work/err")"
}
must_not_send() {
    [ "$(sent "$work/err")" -eq 0 ] || fail "something was sent: $(cat "$work/err")"
    grep -q "$1" "$work/err" || fail "not told: $(cat "$work/err")"
}
as_gmp 'children ignored, a PATH without ld' env PATH=/nonexistent "$program" ignore
must_send
for mib in 150 500 700; do
    as_gmp "$mib MiB of addresses" "$program" memory $mib
    must_not_send 'RLIMIT_AS'
done
as_gmp '100 MiB of data' "$program" data 100
must_not_send 'RLIMIT_DATA'

as_gmp 'children reaped at once' "$program" reap
must_send

# Unmounts $1. Processes that build kernels keep it busy until they end, shortly after the program.
unmount() {
    for _ in $(seq 100); do
        ! umount "$1" 2>/dev/null || return 0
        sleep 0.1
    done
    fail "$1 can't be unmounted"
}

# Uses a cache on a full file system, which only root can mount.
mkdir "$work/full"
if [ "$(id -u)" = 0 ] && mount -t tmpfs -o size=64k tmpfs "$work/full" 2>/dev/null; then
    status=0
    XDG_CACHE_HOME=$work/full MPGPU_CONF=$options LD_PRELOAD=$library "$program" reap >"$work/out" 2>"$work/err" || status=$?
    unmount "$work/full"
    [ $status -eq 0 ] || fail "a full disk: exit status $status: $(cat "$work/err")"
    "$program" reap | cmp - "$work/out" || fail "a full disk: $(cat "$work/out")"
    echo "a full disk: $(sent "$work/err") sent"
else
    echo "skipped: a full disk: only root can mount one"
fi

# Checks that helper processes build kernels at the same time as the server, and end when the
# program is killed. The program itself loads no driver.
remove "$work/cache"
POCL_EXTRA_BUILD_FLAGS='' POCL_CACHE_DIR=$work/cache/pocl XDG_CACHE_HOME=$work/cache MPGPU_CONF=$options LD_PRELOAD=$library \
    "$program" ignore >/dev/null 2>&1 &
client=$!
for _ in $(seq 600); do
    [ -z "$(processes --build-helper)" ] || break
    sleep 0.1
done
[ -n "$(processes --build-helper)" ] || fail 'no helper builds'
for helper in $(processes --build-helper); do
    [ "$(cat "/proc/$helper/oom_score_adj")" -eq 1000 ] || fail "a helper is not ended first"
done
! grep -E 'lib(OpenCL|pocl)' "/proc/$client/maps" || fail 'the program has a driver'
kill -9 $client
wait $client || true
await_processes
echo 'helpers: end with the program'

# Checks that exit does not wait for kernels that are being built.
remove "$work/cache"
start=$(date +%s%N)
POCL_EXTRA_BUILD_FLAGS='' POCL_CACHE_DIR=$work/cache/pocl XDG_CACHE_HOME=$work/cache MPGPU_CONF=sqr:1000,server:private LD_PRELOAD=$library "$program" ignore >/dev/null
ms=$((($(date +%s%N) - start) / 1000000))
echo "$ms ms while kernels are built"
[ $ms -lt 3000 ] || fail "an end of $ms ms"

# With server:off, the program itself loads the driver. Helper processes need mpgpu-serve, which is
# removed here. So the program builds the kernels one after another.
rm "$serve"
options=backend:opencl,open:wait,mul:1000,sqr:1000,stats:text,log:1,server:off
as_gmp 'server:off without helpers' "$program" large
must_send
