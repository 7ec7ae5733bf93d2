#!/bin/sh
# SPDX-License-Identifier: LGPL-3.0-or-later
# Checks that the option clear:true leaves no trace of operands and results in the memory of the
# process or of mpgpu-serve. Without the option the program must find traces; otherwise the test
# proves nothing. A CPU's driver copies operands into memory of its own, so a CPU is used through a
# server. verify:full is left out: GMP's scratch memory, which it uses, is not cleared.
. "$(dirname "$0")/../support/common.sh"
need_opencl_or_cuda
traces=$builddir/tests/process/traces

# places BACKEND OPTIONS LIMBS...: runs the program, which counts the places in memory with a trace
# of operands or results.
places() {
    conf=backend:$1,server:$server,open:wait,watchdog:600,mul:1,sqr:1,$2
    shift 2
    MPGPU_CONF=$conf,stats:text LD_PRELOAD=$library timeout 600 "$traces" "$@" >"$work/out" 2>"$work/err" ||
        fail "$conf $*: status $?: $(cat "$work/err")"
    [ "$(sent "$work/err")" -ge $# ] || fail "$conf: not sent: $(cat "$work/err")"
    echo "$conf $*: $(cat "$work/out")"
}

for backend in $(backends); do
    server=off
    ! is_cpu "$backend" || server=private
    for options in algorithm:auto algorithm:ntt algorithm:ssa algorithm:fft algorithm:ntt,streams:2; do
        places "$backend" "clear:true,$options" 2000 20000 100000 2000
        grep -qx '0 places' "$work/out" || fail "$(cat "$work/out" "$work/err")"
        places "$backend" "clear:false,$options" 2000 20000 100000 2000
        ! grep -qx '0 places' "$work/out" || fail "nothing is left without clear:true: the test is blind"
    done
    places "$backend" clear:true,pool:off,algorithm:ntt 2000 5000
    grep -qx '0 places' "$work/out" || fail "$(cat "$work/out" "$work/err")"
done

# With clear:true, the server must clear the memory that a client's jobs have used, and nothing
# else. Without it, a CPU's server has traces in its own memory and in shared memory. A GPU copies
# from shared memory directly, so its server has traces only there.
. "$srcdir/tests/support/serve.sh"
begin
looks=1
if [ "$(id -u)" -eq 0 ] || [ "$(cat /proc/sys/kernel/yama/ptrace_scope 2>/dev/null || echo 0)" -eq 0 ]; then
    export TRACES_OF=$pid
    looks=3
else
    echo "the server's memory cannot be read here"
fi
for options in algorithm:auto algorithm:ntt algorithm:ssa; do
    for clears in true false; do
        CONF=mul:1,sqr:1,clear:$clears,$options client "$traces" 2000 20000 100000 2000 >"$work/out" 2>"$work/err" ||
            fail "a client, $clears, $options: $(cat "$work/err")"
        by_server "$work/err"
        echo "a client, clear:$clears,$options: $(cat "$work/out")"
        if [ $clears = true ]; then
            [ "$(grep -c '^0 ' "$work/out")" -eq $looks ] || fail "$(cat "$work/out" "$work/err")"
        else
            blind='^0 '
            grep -q '(the CPU)' "$work/err" || blind='^0 (places|shared places there)$'
            grep -E "$blind" "$work/out" && fail 'nothing is left without clear:true: the test is blind'
        fi
        all_are_gone
    done
done
end
