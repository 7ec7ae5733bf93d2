# SPDX-License-Identifier: LGPL-3.0-or-later
# shellcheck shell=sh disable=SC2154,SC2034 # common.sh and the test set and use these variables
# For tests of groups of servers, which source it after common.sh.  It starts a group of two servers
# by mpirun on $backend, in a temporary folder, and programs that are clients of the first server.
serve=$builddir/tools/mpgpu-serve
start=$builddir/tools/mpgpu-serve-mpi
served=$builddir/tests/process/served
[ -x "$start" ] || skip 'no mpgpu-serve-mpi in this build (no MPI)'
mpirun --version 2>&1 | grep -q 'Open MPI' || skip 'no mpirun of Open MPI'
backend=$(backends | head -n 1)
[ -n "$backend" ] || skip 'no device on this machine'

runtime=$(mktemp -d /tmp/mpgpu-test-group.XXXXXX)
mkdir -m 700 "$runtime/b"
export XDG_RUNTIME_DIR="$runtime" POCL_DEVICES=basic
export OMPI_ALLOW_RUN_AS_ROOT=1 OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1 OMPI_MCA_btl=self,vader
export TMPDIR="$runtime" # Open MPI's own files
socket=$runtime/mpgpu/serve-$("$serve" --version | sed 's/.* //')

# Prints the servers of this test: the servers that have the test's folder in their environment.
servers() {
    grep -lx mpgpu-serve /proc/[0-9]*/comm 2>/dev/null | while IFS=/ read -r _ _ pid _; do
        if { tr '\0' '\n' <"/proc/$pid/environ"; } 2>/dev/null | grep -q "^XDG_RUNTIME_DIR=$runtime"; then
            echo "$pid"
        fi
    done || true
}
stop() {
    for pid in $(servers); do
        kill -9 "$pid" 2>/dev/null || true
    done
    rm -rf "$runtime"
}
trap stop EXIT

# Runs mpirun for a group of MEMBERS servers (default: 2). With --apart as the first word, the
# second server acts as on another host, with a separate folder.
together() {
    if [ "${1-}" = --apart ]; then
        timeout 600 mpirun --oversubscribe --enable-recovery -n 1 "$start" "$@" : \
            -n 1 -x "XDG_RUNTIME_DIR=$runtime/b" "$start" "$@"
    else
        timeout 600 mpirun --oversubscribe --enable-recovery -n "${MEMBERS-2}" "$start" "$@"
    fi
}

# Starts the group in the background; mpirun must end with status 0.
begin() {
    (export MPGPU_CONF="backend:$backend,device:0" && together "$@") >"$work/mpirun" 2>&1 ||
        fail "mpirun: $(cat "$work/mpirun")"
    find_servers
}

# Starts the group in the foreground, so that mpirun continues to run.  The servers' log is
# $work/log.
begin_foreground() {
    (export MPGPU_CONF="backend:$backend,device:0,log:${LOG-2}" && together "$@" --foreground) >"$work/log" 2>&1 &
    mpirun=$!
    for try in 1 2 3 4 5 6 7 8 9 10 20 30 40; do
        "$serve" --list >/dev/null 2>&1 && break
        sleep "$((try / 10)).$((try % 10))"
    done
    find_servers
}
find_servers() {
    "$serve" --list >"$work/list" 2>&1 || fail "no server: $(cat "$work/list" "$work/mpirun")"
    leader=$(sed -n '1s/process \([0-9]*\),.*/\1/p' "$work/list")
    member=$(servers | grep -vx "$leader" | head -n 1)
    [ -n "$leader" ] && [ -n "$member" ] || fail "processes: $(servers) $(cat "$work/list")"
}

# Checks that no server of the group runs, and that the socket was removed.
nothing_left() {
    for try in 1 2 3 4 5 6 7 8 9 10; do
        [ -n "$(servers)" ] || break
        sleep "0.$((try % 10))"
    done
    [ -z "$(servers)" ] || fail "servers stay: $(servers)"
    [ ! -e "$socket" ] || fail "$socket stays behind"
    rm -rf "$runtime/b/mpgpu" # a killed server leaves its socket
}
end() {
    "$serve" --end
    nothing_left
}

# Runs a program as a client, with option device:DEVICE.
client() {
    MPGPU_CONF="backend:$backend,open:wait,watchdog:600,mul:100,sqr:100,stats:text,server:${SERVER-only},device:${DEVICE-all},${CONF-log:1}" \
        LD_PRELOAD=$library timeout 600 "$@"
}

# Checks, in the statistics in file $1, that devices 0 and 1 have both computed calls.
by_both() {
    for device in 0 1; do
        grep -q "^mpgpu: device $device: [1-9]" "$1" || fail "device $device has had nothing: $(cat "$1")"
    done
}
