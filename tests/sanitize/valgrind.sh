#!/bin/sh
# SPDX-License-Identifier: LGPL-3.0-or-later
# Runs examples/pi with the preloaded library under valgrind's memcheck: no errors, and the same
# digits as alone.  mpgpu-serve computes the products, outside valgrind.  make calls this script in
# the build tree.
# Usage: valgrind.sh SOURCE_DIR
set -eu
source=$(cd "$1" && pwd)
command -v valgrind >/dev/null || {
    echo 'valgrind.sh: valgrind is not installed' >&2
    exit 77
}
work=$PWD/tests/home/valgrind
mkdir -p "$work"
XDG_RUNTIME_DIR=$(mktemp -d /tmp/mpgpu-valgrind.XXXXXX)
export XDG_CACHE_HOME="$work" XDG_CONFIG_HOME="$work" XDG_RUNTIME_DIR
trap 'tools/mpgpu-serve --end 2>/dev/null; rm -rf "$XDG_RUNTIME_DIR"' EXIT
MPGPU_CONF=backend:opencl tools/mpgpu-serve >"$work/server" 2>&1 || cat "$work/server"

# pi OPTIONS...: computes digits of pi under valgrind with these options; writes valgrind's messages
# and the statistics to a log.
pi() {
    MPGPU_CONF=backend:opencl,server:only,open:wait,watchdog:0,mul:1,sqr:1,add:1,stats:text \
        LD_PRELOAD=$PWD/.libs/libmpgpu-gmp.so.0 \
        valgrind -q "$@" examples/pi 1000 >"$work/digits" 2>"$work/log"
}

examples/pi 1000 >"$work/right"
pi --error-exitcode=9 --num-callers=30 --suppressions="$source/tests/sanitize/valgrind.supp" || {
    status=$?
    cat "$work/log"
    echo "valgrind.sh: exit status $status"
    exit "$status"
}
cat "$work/log"
cmp "$work/right" "$work/digits"
grep -q '^mpgpu: device: opencl' "$work/log" || {
    echo 'valgrind.sh: no device was used'
    exit 77
}
