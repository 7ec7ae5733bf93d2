#!/bin/sh
# SPDX-License-Identifier: LGPL-3.0-or-later
# A thousand threads compute one small product each at the same time.  The results must be right,
# the program must end, and its memory may exceed that with GMP alone only a little.
. "$(dirname "$0")/../support/common.sh"
need_opencl_or_cuda
thousand=$builddir/tests/programs/thousand
threads=1000
most=65536 # Limit in KiB for the additional memory of a thousand threads, beyond that of GMP alone.

# Runs `thousand` with $1 threads.  $2 is the name of its output files.
with() {
    timeout 300 "$thousand" "$1" >"$work/$2.out" 2>"$work/$2.err" || fail "$2: exit status $?: $(cat "$work/$2.err")"
    [ "$(cat "$work/$2.out")" = "$(($1 + 1)) products: right" ] || fail "$2: $(cat "$work/$2.out")"
}

preloaded() {
    export LD_PRELOAD="$library"
    with "$@"
    unset LD_PRELOAD
}

peak() {
    sed -n 's/^peak //p' "$work/$1.err"
}

with 1 alone-1
with $threads alone
for backend in $(backends); do
    for conf in dispatch:fixed,mul:1,sqr:1 dispatch:auto,mul:1,sqr:1 dispatch:auto \
        dispatch:fixed,mul:1,sqr:1,streams:1,clear:true; do
        export MPGPU_CONF="backend:$backend,open:wait,stats:text,$conf"
        preloaded 1 one
        preloaded $threads all
        more=$(($(peak all) - $(peak one) - $(peak alone) + $(peak alone-1)))
        echo "$backend, $conf: $(sent "$work/all.err") sent, $more KiB more"
        [ $more -le $most ] || fail "$backend, $conf: $more KiB more"
        case $conf in
        dispatch:fixed*)
            awk -v n=$((threads + 1)) '$2 == "mpz_mul" { all = $3 == n && $4 == n } END { exit !all }' "$work/all.err" || fail "$backend: not sent: $(cat "$work/all.err")"
            ;;
        esac
    done
done
