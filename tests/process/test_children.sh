#!/bin/sh
# SPDX-License-Identifier: LGPL-3.0-or-later
# Checks children that are created by fork or in other ways, while other threads work: they
# compute right results and exit. The parent must keep its statistics and its device, which may be
# its own or that of mpgpu-serve. A client's large numbers are in memory that the server shares.
#
# Children that have a copy of the parent's memory become clients of the server, too. A child of
# vfork becomes a client when it executes a program.
. "$(dirname "$0")/../support/common.sh"
need_opencl_or_cuda
children=$builddir/tests/process/children

# make_children BACKEND KIND THREADS TIMES: creates children of that kind, TIMES times, while
# THREADS threads multiply.
make_children() {
    status=0
    MPGPU_CONF="backend:$1,open:wait,mul:100,sqr:100,stats:text,server:${SERVER-off},watchdog:600" LD_PRELOAD=$library \
        timeout -s KILL 120 "$children" "$2" "$3" "$4" >"$work/out" 2>"$work/err" || status=$?
    if [ $status -eq 77 ]; then
        cat "$work/out"
        return
    fi
    [ $status -eq 0 ] || fail "$1, $2, $3 threads: exit status $status: $(cat "$work/out" "$work/err")"
    [ "$(cat "$work/out")" = right ] || fail "$1, $2, $3 threads: $(cat "$work/out")"
    # A child that shares the parent's memory, or was created by the bare system call, prints no
    # statistics.
    reports=$(grep -c '^mpgpu: device: ' "$work/err") || true
    case $2 in fork | _Fork | clone | exec) own=yes ;; *) own= ;; esac
    [ "$own" ] || [ "$reports" -eq 1 ] || fail "$1, $2, $3 threads: $reports reports: $(cat "$work/err")"
    grep "^mpgpu: device: $1" "$work/err" >/dev/null || fail "$1, $2: the device is lost: $(cat "$work/err")"
    [ "$(sent "$work/err")" -gt "$4" ] || fail "$1, $2, $3 threads: not counted: $(cat "$work/err")"
    echo "$1, $2, $3 threads, $4 rounds: right"
}

for backend in $(backends); do
    for kind in fork _Fork raw clone shared vfork; do
        make_children "$backend" $kind 0 1
        make_children "$backend" $kind 4 40
    done
done

# Forks while another thread begins to open a device.
for open in now wait; do
    for when in 'at 0' 'at 1' 'at 2' 'at 3' 'at 4' between; do
        # shellcheck disable=SC2086 # words
        MPGPU_CONF="open:$open,mul:1000,sqr:1000" LD_PRELOAD=$library timeout -s KILL 120 "$builddir/tests/process/beginning" $when >"$work/out" 2>"$work/err" ||
            fail "beginning $when, open:$open: $(cat "$work/out" "$work/err")"
        [ "$(cat "$work/out")" = right ] || fail "beginning $when, open:$open: $(cat "$work/out")"
    done
    echo "fork while a device begins, open:$open: right"
done

# Creates children in a client of the server, too; the numbers are in memory that the server shares.
. "$srcdir/tests/support/serve.sh"
begin
SERVER=only
for kind in fork _Fork clone shared vfork exec; do
    make_children "$backend" $kind 0 1
    by_server "$work/err"
    clients=$(grep -c '^mpgpu: device: .*by mpgpu-serve' "$work/err")
    computed=$(awk '$2 == "mpz_mul" && $4 > 0' "$work/err" | wc -l)
    [ -z "$own" ] || [ "$clients $computed" = '2 2' ] || fail "$kind: the child is no client: $(cat "$work/err")"
    make_children "$backend" $kind 4 10
    by_server "$work/err"
done
all_are_gone
end
echo 'children of clients: right'
