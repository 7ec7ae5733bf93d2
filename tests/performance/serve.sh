#!/bin/sh
# SPDX-License-Identifier: LGPL-3.0-or-later
# serve.sh BUILD [BACKEND]: what mpgpu-serve is worth, in a build tree: with the server, with each
# program's own device, and with GMP alone.  A table of the first product of 2^20 bits, the rate of
# one process by size, that of eight processes at 2^16 bits, and of 50 programs one after the other.
# PROGRAMS, PROCESSES and SECONDS_EACH for other numbers.
set -eu
build=$(cd "$1" && pwd)
backend=${2:-auto}
programs=${PROGRAMS:-50}
processes=${PROCESSES:-8}
seconds=${SECONDS_EACH:-3}
program=$build/tests/performance/serve
library=$build/.libs/libmpgpu-gmp.so.0
server=$build/tools/mpgpu-serve
runtime=$(mktemp -d /tmp/mpgpu-serve.XXXXXX)
export XDG_RUNTIME_DIR="$runtime"
trap '"$server" --end 2>/dev/null; sleep 1; rm -rf "$runtime"' EXIT
MPGPU_CONF=backend:$backend,log:2 "$server" --idle 0

# $1: only, off or gmp; the rest is the program.
with() {
    kind=$1
    shift
    if [ "$kind" = gmp ]; then
        "$@"
    else
        MPGPU_CONF="backend:$backend,open:wait,server:$kind${MORE:+,$MORE}" LD_PRELOAD=$library "$@"
    fi
}

# The sum of what several processes at once print.
together() {
    start=$(($(date +%s) + ${WARM:-4}))
    for i in $(seq "$processes"); do
        with "$1" "$program" rate 65536 "$seconds" $start >"$runtime/rate.$i" &
    done
    wait
    cat "$runtime"/rate.* | awk '{ sum += $1 } END { print sum }'
}

# Milliseconds of programs one after the other, each with one product of 2^20 bits.
one_after_the_other() {
    begin=$(date +%s%N)
    for i in $(seq "$programs"); do
        with "$1" "$program" first 1048576 >/dev/null
    done
    echo $((($(date +%s%N) - begin) / 1000000))
}

# Kernels are proved, and the server has what the first client needs, before anything is timed.
with only "$program" first 1048576 >/dev/null
with only "$program" rate 65536 1 >/dev/null
for kind in only off gmp; do
    case $kind in
    only) echo '== with the server' ;;
    off) echo '== with a device of its own' ;;
    gmp) echo '== GMP alone' ;;
    esac
    echo "2^20 bits: $(with $kind "$program" first 1048576)"
    for log in 16 18 20 22 24; do
        echo "one process, 2^$log bits, products a second: $(with $kind "$program" rate $((1 << log)) "$seconds")"
    done
    echo "$processes processes, 2^16 bits, products a second: $(together $kind)"
    echo "$programs programs, ms: $(one_after_the_other $kind)"
done
"$server" --list
