#!/bin/sh
# SPDX-License-Identifier: LGPL-3.0-or-later
# peers.sh BUILD [KIND...]: what copies between devices are worth, in a build tree or a bundle, on one
# GPU or several.  For each kind it compares sums of products and quotients with GMP's, prints times,
# and says what was copied from device to device.  It fails where sums differ, and where a kind that
# has such copies has made none.
#   one     a server with the first GPU
#   server  a server with two GPUs; with one GPU there is none
# PRODUCT_BITS, QUOTIENT_BITS and SHARED (the option) for other sizes, CONF for more options, BACKEND,
# GPUS (how many), and SERVER in place of mpgpu-serve.
set -eu
build=$(cd "$1" && pwd)
shift
kinds=${*:-one server}
backend=${BACKEND:-cuda}
products=${PRODUCT_BITS:-$((1 << 26))}
quotients=${QUOTIENT_BITS:-$((1 << 28))}
conf=shared:${SHARED:-$((1 << 18))}${CONF:+,$CONF}
library=$build/.libs/libmpgpu-gmp.so.0
sums=$build/tests/process/served
operations=$build/tests/performance/operations
work=$(mktemp -d /tmp/mpgpu-peers.XXXXXX)
export XDG_RUNTIME_DIR="$work" TMPDIR="$work"
server=${SERVER:-$build/tools/mpgpu-serve}
ln -s "$server" "$work/mpgpu-serve"
server=$work/mpgpu-serve
trap '"$server" --end 2>/dev/null || true; sleep 1; rm -rf "$work"' EXIT
failed=0

fail() {
    echo "FAILED: $*"
    failed=1
}
gpus=${GPUS:-$(nvidia-smi -L 2>/dev/null | grep -c '^GPU' || true)}

# In the background, with its log in $work/log.
begin() {
    case $1 in
    one) MPGPU_CONF=backend:$backend,device:0,log:3 "$server" --foreground 2>"$work/log" & ;;
    server) MPGPU_CONF=backend:$backend,device:0+1,log:3 "$server" --foreground 2>"$work/log" & ;;
    esac
    running=$!
    for _ in $(seq 60); do
        "$server" --list >"$work/list" 2>/dev/null && return
        sleep 0.5
    done
    fail "no server: $(cat "$work/log")"
    return 1
}
end() {
    "$server" --end
    wait $running || true
}

with_server() {
    MPGPU_CONF="backend:$backend,open:wait,server:only,device:all,log:1,$conf" LD_PRELOAD=$library "$@"
}
milliseconds() {
    with_server "$operations" 600 "$@" | awk '{ print "first " $5 " ms, second " $6 " ms, least " $3 " ms" }'
}
across() {
    sleep 1 # the last client is gone
    sed -n 's/.*is gone: .* launches, \([0-9]*\) KiB across$/\1/p' "$work/log" | awk '{ sum += $1 } END { print sum + 0 }'
}
# Does what the kind has copied, in KiB, fit it?
check_copies() {
    case $1 in
    server)
        [ "$2" -gt 0 ] || fail "$1: products made no copies from device to device: $(cat "$work/log")"
        [ "$3" -gt 0 ] || fail "$1: quotients made no copies from device to device: $(cat "$work/log")"
        ;;
    *) [ $(($2 + $3)) -eq 0 ] || fail "$1: copies from device to device" ;;
    esac
}

measure() {
    begin "$1" || return
    echo "== $1: $(sed -n '2,$p' "$work/list" | tr '\n' ';')"
    grep -E 'copies from|does not copy' "$work/log" || true
    with_server "$sums" products 1 "$products" 2 >"$work/out"
    cmp "$work/products" "$work/out" || fail "$1: products differ from GMP's"
    echo "products of 2 by $products bits: $(milliseconds mul "$products")"
    by_products=$(across)
    with_server "$sums" quotients 1 "$quotients" 1 >"$work/out"
    cmp "$work/quotients" "$work/out" || fail "$1: quotients differ from GMP's"
    echo "quotients of $quotients bits: $(milliseconds quotient "$quotients")"
    by_quotients=$(($(across) - by_products))
    echo "copied from device to device: $by_products KiB by products, $by_quotients by quotients"
    check_copies "$1" "$by_products" "$by_quotients"
    end
}

"$sums" products 1 "$products" 2 >"$work/products"
"$sums" quotients 1 "$quotients" 1 >"$work/quotients"
echo "GMP has made the sums; GPUs: $gpus"
for kind in $kinds; do
    if [ "$kind" = server ] && [ "$gpus" -lt 2 ]; then
        echo "== server: skipped, since it takes two GPUs"
    else
        measure "$kind"
    fi
done
exit $failed
