#!/bin/sh
# SPDX-License-Identifier: LGPL-3.0-or-later
# serve.sh BUILD [BACKEND]: measures in a build tree what mpgpu-serve gains.  Compares programs that
# use the server, programs that each open the device themselves, and GMP alone.  Prints the times of
# the first product of 2^20 bits and of 50 programs one after the other.  Then prints the rate of
# one process by size, and the rate of eight processes.  PROGRAMS, PROCESSES and SECONDS_EACH change
# these numbers.
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

# Prints a line of tests/performance/operations for a product of 2^20 bits: the best milliseconds, a
# hash, and the milliseconds of the first and second run.  $1 is `only` or `off`, a value of the
# option `server`, or gmp for GMP alone.
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

# Prints operations per second with the library and with GMP alone, and their ratio.
rates() {
    conf=backend:$backend,server:$1${MORE:+,$MORE}
    shift
    "$build/tools/mpgpu-bench" threads -o mul --conf "$conf" --seconds "${SECONDS_EACH:-3}" --runs 1 "$@"
}

product only >/dev/null # the server tests its kernels before anything is timed
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
