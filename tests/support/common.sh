# SPDX-License-Identifier: LGPL-3.0-or-later
# shellcheck shell=sh disable=SC2034
# Shared by the test scripts, which source it first.  `make check` sets abs_top_srcdir,
# abs_top_builddir and the names of build tools.
set -eu
umask 022 # the library ignores option files that others can write
srcdir=${abs_top_srcdir:-$(cd "$(dirname "$0")/../.." && pwd)}
builddir=${abs_top_builddir:-$srcdir/build}
library=$builddir/.libs/libmpgpu-gmp.so.0
run=$builddir/tools/mpgpu-run
test_name=$(basename "$0" .sh)
work=$builddir/tests/home/$test_name
rm -rf "$work"
mkdir -p "$work"

skip() {
    echo "skipped: $*"
    exit 77
}

fail() {
    echo "FAILED: $*"
    exit 1
}

# Removes folders.  Repeats this if a process that is just ending still writes into one of them.
remove() {
    for _ in $(seq 50); do
        rm -rf "$@" 2>/dev/null && return
        sleep 0.1
    done
    rm -rf "$@"
}

need_command() {
    command -v "$1" >/dev/null 2>&1 || skip "$1 is not installed"
}

need_opencl_or_cuda() {
    [ -n "$(backends)" ] || skip "no device on this machine (neither CUDA nor OpenCL)"
}

# Prints the backends that have a device on this machine, one a line. MPGPU_TEST_BACKENDS restricts
# them. If a backend that MPGPU_TEST_REQUIRE_DEVICE names has no device, kills the script: `fail`
# would end only the subshell in which this function runs.
backends() {
    for backend in ${MPGPU_TEST_BACKENDS:-cuda opencl}; do
        if MPGPU_CONF="backend:$backend,open:wait,watchdog:600,mul:1,stats:text" LD_PRELOAD=$library \
            "$builddir/examples/pi" 300 2>&1 >/dev/null | grep -q "^mpgpu: device: $backend"; then
            echo "$backend"
            continue
        fi
        case " ${MPGPU_TEST_REQUIRE_DEVICE-} " in
        *" $backend "*)
            echo "FAILED: MPGPU_TEST_REQUIRE_DEVICE names $backend, which has no device" >&2
            kill $$
            ;;
        esac
    done
}

# Returns true if backend $1's device is a CPU.
is_cpu() {
    MPGPU_CONF="backend:$1,open:wait,watchdog:600,mul:1,stats:text" LD_PRELOAD=$library \
        "$builddir/examples/pi" 300 2>&1 >/dev/null | grep -q '^mpgpu: device: .*(the CPU)'
}

# Copies the library and mpgpu-serve, so that no other test uses the same server.  Sets $library and
# $serve to the copies.
use_copies() {
    mkdir -p "$work/tree/lib/mpgpu-gmp" "$work/tree/bin"
    cp "$library" "$work/tree/lib/"
    cp "$builddir/kernels/images.bin" "$work/tree/lib/mpgpu-gmp/"
    cp "$builddir/tools/mpgpu-serve" "$work/tree/bin/"
    chmod -R go-w "$work/tree"
    library=$work/tree/lib/libmpgpu-gmp.so.0
    serve=$work/tree/bin/mpgpu-serve
}

# Prints the processes that run $serve with arguments that contain $1.
processes() {
    for process in /proc/[0-9]*; do
        [ "$(readlink "$process/exe" 2>/dev/null)" = "$(readlink -f "$serve")" ] || continue
        tr '\0' ' ' <"$process/cmdline" 2>/dev/null | grep -q -e "$1" && basename "$process"
    done || true
}

# Waits until no process runs $serve, for at most 30 seconds.
await_processes() {
    for _ in $(seq 300); do
        [ -n "$(processes .)" ] || return 0
        sleep 0.1
    done
    fail "these stay: $(processes .)"
}

# Prints the number of calls that the device computed, from the statistics in file $1.
sent() {
    awk '$1 == "mpgpu:" && $2 ~ /^mp[nz]_/ { sum += $4 } END { print sum + 0 }' "$1"
}

# Checks the statistics in file $1 of a program without a server: GMP must have computed all calls,
# and the reason must be in the statistics.
by_gmp() {
    [ "$(sent "$1")" -eq 0 ] || fail "a device of its own: $(cat "$1")"
    grep -q '^mpgpu: device: .*mpgpu-serve' "$1" || fail "it does not say why: $(cat "$1")"
}

# Fails the test unless files $1 and $2 are equal.
same() {
    cmp "$1" "$2" || fail "$1 and $2 differ"
}

# Runs a program alone and twice under preload: with option open:now, which opens the device in the
# background, and with open:wait, which waits for it.  Output, messages and exit status must be the
# same.  OPENS (now or wait) selects one of the two runs, MORE adds options.  Statistics, if MORE
# requests them, are in $work/wait.err.
as_alone() {
    bare=0
    timeout 600 "$@" >"$work/alone.out" 2>"$work/alone.err" </dev/null || bare=$?
    for open in ${OPENS-now wait}; do
        status=0
        MPGPU_CONF="open:$open,mul:1,sqr:1,add:1,server:${SERVER-off},${MORE-}" LD_PRELOAD=$library \
            timeout 600 "$@" >"$work/$open.out" 2>"$work/$open.err" </dev/null || status=$?
        [ $status -eq $bare ] || fail "$*: exit status $status, alone $bare (open:$open): $(cat "$work/$open.out" "$work/$open.err")"
        same "$work/alone.out" "$work/$open.out"
        sed '/^mpgpu: /d' "$work/$open.err" >"$work/others.err"
        same "$work/alone.err" "$work/others.err"
        [ -n "${MORE-}" ] || same "$work/alone.err" "$work/$open.err"
    done
}

# Runs the check "$@" twice: for programs that open the device themselves, and for clients of a
# server.
both_ways() {
    SERVER=off
    "$@"
    . "$srcdir/tests/support/serve.sh"
    MPGPU_TEST_BACKENDS=$backend
    begin
    SERVER=only
    "$@"
    all_are_gone
    end
    echo 'as clients of a server: the same'
}

# Runs the differential test on backend $1: many small operations, fewer large ones, several
# threads, and memory functions that check their callers.  MPGPU_TEST_OPERATIONS changes the number
# of operations.
differential() {
    backends | grep -qx "$1" || skip "no $1 device on this machine"
    program=$builddir/tests/differential/differential
    count=${MPGPU_TEST_OPERATIONS:-3000}
    for options in "--count $count --max-limbs 300" "--count $((count / 10)) --max-limbs 20000" \
        "--count $((count / 10)) --max-limbs 1000 --threads 4" \
        "--count $((count / 10)) --max-limbs 300 --threads 2 --memory 1"; do
        # shellcheck disable=SC2086 # split on purpose
        LD_PRELOAD=$library "$program" --backend "$1" $options \
            ${MPGPU_TEST_SEED:+--seed "$MPGPU_TEST_SEED"} || fail "$1, $options: exit status $?"
    done
    # With verify:residue, the host computes composite operations, and the device computes their
    # products.
    MPGPU_CONF=verify:residue LD_PRELOAD=$library "$program" --backend "$1" \
        --count $((count / 10)) --max-limbs 1000 \
        ${MPGPU_TEST_SEED:+--seed "$MPGPU_TEST_SEED"} || fail "$1, verify:residue: exit status $?"
}
