#!/bin/sh
# SPDX-License-Identifier: LGPL-3.0-or-later
# A program that filters its system calls gets no device unless the options name a backend, and the
# library reads no file for it.  An inherited filter, like a container's, changes nothing.
. "$(dirname "$0")/../support/common.sh"
sandbox=$builddir/tests/process/sandbox
status=0
"$sandbox" kill >"$work/out" || status=$?
[ $status -ne 77 ] || skip "$(cat "$work/out")"

for action in kill refuse; do
    as_alone "$sandbox" $action
    MORE=stats:text as_alone "$sandbox" $action
    cat "$work/now.err"
    grep -q '^mpgpu: device: none: the program filters its system calls' "$work/now.err" ||
        fail "$action: the statistics don't say why there was no device"
    echo "$action: as alone"
done

as_alone "$sandbox" strict
echo 'strict: as alone'

# The library must not read an options file in a sandboxed program.
mkdir -p "$work/home/mpgpu-gmp"
echo stats:text >"$work/home/mpgpu-gmp/mpgpu.conf"
XDG_CONFIG_HOME=$work/home LD_PRELOAD=$library "$sandbox" refuse >"$work/out" 2>"$work/err" || status=$?
[ $status -eq 5 ] && [ ! -s "$work/err" ] || fail "status $status: $(cat "$work/err")"

# If the filter is set after the device was opened, the library must create no further thread.
need_opencl_or_cuda
for action in kill refuse; do
    MORE=watchdog:600,streams:2 as_alone "$sandbox" $action last
    echo "$action, after a product: as alone"
done

# With an inherited filter the device must be used as usual.
export MPGPU_CONF=open:wait,watchdog:600,mul:1,sqr:1,stats:text
LD_PRELOAD=$library "$sandbox" inherit "$builddir/examples/pi" 1000 >"$work/out" 2>"$work/err" ||
    fail "inherited: status $?"
[ "$(sent "$work/err")" -gt 0 ] || fail "inherited: nothing was sent: $(cat "$work/err")"
LD_PRELOAD=$library "$sandbox" inherit "$sandbox" refuse >"$work/out" 2>"$work/err" || status=$?
[ $status -eq 5 ] || fail "inherited, and one of its own: status $status"
grep -q '^mpgpu: device: none: the program filters its system calls' "$work/err" ||
    fail "inherited, and one of its own: $(cat "$work/err")"
# Runs a sandboxed program whose options name a backend: the library tries to open the backend's
# device, and reports that it cannot.
MPGPU_CONF=$MPGPU_CONF,backend:opencl LD_PRELOAD=$library "$sandbox" refuse >"$work/out" 2>"$work/err" || status=$?
[ $status -eq 5 ] || fail "asked for by name: status $status: $(cat "$work/err")"
grep -q '^mpgpu: device: ' "$work/err" || fail "asked for by name: $(cat "$work/err")"
unset MPGPU_CONF

# A client of mpgpu-serve sets a filter that allows only the few system calls needed for waiting;
# any other call ends the client. Its later products must still be sent to the server.
. "$srcdir/tests/support/serve.sh"
begin
MORE=stats:text,server:only,watchdog:600 OPENS=wait as_alone "$sandbox" strict last
by_server "$work/wait.err"
awk '$1 == "mpgpu:" && $2 == "mpz_mul" && $3 == 5 && $4 == 5 { found = 1 } END { exit !found }' "$work/wait.err" ||
    fail "strict, last: not all were sent: $(cat "$work/wait.err")"
all_are_gone
end
echo 'strict, after a product of a server: as alone, all sent'
