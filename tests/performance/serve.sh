#!/bin/sh
# SPDX-License-Identifier: LGPL-3.0-or-later
# serve.sh BUILD [BACKEND]: what mpgpu-serve is worth, in a build tree: with the server, with each
# program's own device, and with GMP alone.  Prints the times of the first product of 2^20 bits and of
# 50 programs one after the other, the rate of one process by size, and that of eight processes.
# PROGRAMS, PROCESSES and SECONDS_EACH for other numbers.
set -eu
build=$(cd "$1" && pwd)
backend=${2:-auto}
programs=${PROGRAMS:-50}
operations=$build/tests/performance/operations
library=$build/.libs/libmpgpu-gmp.so.0
server=$build/tools/mpgpu-serve
runtime=$(mktemp -d /tmp/mpgpu-serve.XXXXXX)
export XDG_RUNTIME_DIR="$runtime"
trap '"$server" --end 2>/dev/null; rm -rf "$runtime"' EXIT
MPGPU_CONF=backend:$backend,log:2 "$server" --idle 0

# Milliseconds of a product of 2^20 bits: the best, the hash, those of the first and the second.
# $1: only, off or gmp.
product() {
    if [ "$1" = gmp ]; then
        "$operations" 60 mul 1048576
    else
        MPGPU_CONF="backend:$backend,open:wait,server:$1${MORE:+,$MORE}" LD_PRELOAD=$library \
            "$operations" 60 mul 1048576
    fi
}

one_after_the_other() {
    begin=$(date +%s%N)
    for _ in $(seq "$programs"); do
        product "$1" >/dev/null
    done
    echo $((($(date +%s%N) - begin) / 1000000))
}

# Operations a second with the library, by GMP alone, and their ratio.
rates() {
    conf=backend:$backend,server:$1${MORE:+,$MORE}
    shift
    "$build/tools/mpgpu-bench" threads -o mul --conf "$conf" --seconds "${SECONDS_EACH:-3}" --runs 1 "$@"
}

product only >/dev/null # the server has tested its kernels before anything is timed
for kind in only off gmp; do
    case $kind in
    only) echo '== with the server' ;;
    off) echo '== with a device of its own' ;;
    gmp) echo '== GMP alone' ;;
    esac
    product $kind | awk '{ print "2^20 bits: first " $5 " ms, second " $6 " ms, least " $3 " ms" }'
    echo "$programs programs, ms: $(one_after_the_other $kind)"
    if [ $kind != gmp ]; then
        rates $kind --threads 1 --sizes 2^16,2^18,2^20,2^22,2^24
        rates $kind --processes "${PROCESSES:-8}" --sizes 2^16
    fi
done
"$server" --list
