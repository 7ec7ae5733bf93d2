#!/bin/sh
# SPDX-License-Identifier: LGPL-3.0-or-later
# What a program executes more under preload from its start to its end, the dynamic linker included:
# one without GMP, one that computes a small product.  Times are printed only (programs.py).
. "$(dirname "$0")/../support/common.sh"
here=$builddir/tests/performance

if command -v python3 >/dev/null 2>&1; then
    python3 "$srcdir/tests/performance/programs.py" start "$builddir" 20 || fail "programs.py start"
    python3 "$srcdir/tests/performance/programs.py" short "$builddir" none 1 30 --csv "$work/short.csv" ||
        fail "programs.py short"
    python3 "$srcdir/tools/bench/mpgpu-bench-report" "$work/short.csv" | grep -q '^| 10 products | 2^16 | [0-9]' ||
        fail "short.csv: $(cat "$work/short.csv")"
else
    echo 'skipped: times: python3 is not installed'
fi

# Pointers that the dynamic linker writes at each start: tables are offsets or text where they can.
case " ${HARDENING-} " in
*-fsanitize=*) echo 'skipped: pointers: a sanitizer brings its own' ;;
*)
    pointers=$("${READELF:-readelf}" -rW "$library" | grep -c '_RELATIVE')
    echo "pointers: $pointers"
    [ "$pointers" -le 500 ] || fail "over 500"
    ;;
esac

need_command valgrind
# A folder of options that holds no cached kernels: the library reads the whole of it.
mkdir -p "$work/config/mpgpu-gmp"
echo server:off >"$work/config/mpgpu-gmp/mpgpu.conf"
# The instructions of a run of $1, in an environment of its own: dynamic linker and library read the
# whole of it, and make passes on lists of tests.
instructions() {
    env -i PATH="$PATH" HOME="$HOME" XDG_CONFIG_HOME="$work/config" \
        XDG_CACHE_HOME="${XDG_CACHE_HOME-}" \
        ${LD_PRELOAD:+LD_PRELOAD="$LD_PRELOAD"} valgrind --tool=callgrind --callgrind-out-file=/dev/null "$1" 2>&1 >/dev/null |
        awk '/Collected/ { print $NF }'
}

# $1 executes at most $2 more.
check() {
    alone=$(instructions "$here/$1")
    [ -n "$alone" ] || skip "valgrind does not run here"
    preload=$(LD_PRELOAD=$library instructions "$here/$1")
    echo "$1: instructions: $alone alone, $preload under preload, $((preload - alone)) more"
    [ "$((preload - alone))" -le "$2" ] || fail "$1: over $2 more"
}
# The same library varies by 6000 with its path and the places of its symbols' names: the dynamic
# linker compares names more slowly where they cross a page.
check start_nothing 196000
check products 341000
