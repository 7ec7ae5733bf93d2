#!/bin/sh
# SPDX-License-Identifier: LGPL-3.0-or-later
# Counts the additional instructions under preload from a program's start to its end, including the
# dynamic linker's.  One program does not use GMP, the other computes a small product.  Times are
# only printed (programs.py).
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

# Counts the pointers that the dynamic linker must relocate at each start.  They are few, because
# tables have offsets or text instead of pointers where possible.
case " ${HARDENING-} " in
*-fsanitize=*) echo 'skipped: pointers: a sanitizer brings its own' ;;
*)
    pointers=$("${READELF:-readelf}" -rW "$library" | grep -c '_RELATIVE')
    echo "pointers: $pointers"
    [ "$pointers" -le 500 ] || fail "over 500"
    ;;
esac

need_command valgrind
# Uses an options folder without cached kernels: the library reads the whole folder, so kernels
# would add instructions.
mkdir -p "$work/config/mpgpu-gmp"
echo server:off >"$work/config/mpgpu-gmp/mpgpu.conf"
# Prints the instructions of program $1. Its environment is minimal, because the dynamic linker and
# the library read all variables; `make` adds long variables.
instructions() {
    env -i PATH="$PATH" HOME="$HOME" XDG_CONFIG_HOME="$work/config" \
        XDG_CACHE_HOME="${XDG_CACHE_HOME-}" \
        ${LD_PRELOAD:+LD_PRELOAD="$LD_PRELOAD"} valgrind --tool=callgrind --callgrind-out-file=/dev/null "$1" 2>&1 >/dev/null |
        awk '/Collected/ { print $NF }'
}

# Program $1 may execute at most $2 more instructions under preload than alone.
check() {
    alone=$(instructions "$here/$1")
    [ -n "$alone" ] || skip "valgrind does not run here"
    preload=$(LD_PRELOAD=$library instructions "$here/$1")
    echo "$1: instructions: $alone alone, $preload under preload, $((preload - alone)) more"
    [ "$((preload - alone))" -le "$2" ] || fail "$1: over $2 more"
}
# The count varies by 6000 with the library's path and the addresses of its symbols' names: the
# dynamic linker compares names more slowly if they cross a page boundary.
check start_nothing 210000
check products 358000
