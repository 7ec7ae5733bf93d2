#!/bin/sh
# SPDX-License-Identifier: LGPL-3.0-or-later
# The library's messages and report must go to the standard error that the program had at its start,
# whatever the program does with descriptor 2 later. They must never go into one of its files.
. "$(dirname "$0")/../support/common.sh"
program=$builddir/tests/process/stderr
ulimit -n 1000

# alone_and_with WAY: runs the program alone and with the library; output, status and file must be
# the same. Messages are in $work/err.
alone_and_with() {
    for kind in alone with; do
        rm -f "$work/file" "$work/err"
        status=0
        case $kind in
        alone) "$program" "$1" "$work/file" >"$work/out" 2>"$work/err" || status=$? ;;
        with) LD_PRELOAD=$library "$program" "$1" "$work/file" >"$work/out" 2>"$work/err" || status=$? ;;
        esac
        [ $status -eq 6 ] || fail "$1, $kind: exit status $status"
        [ -f "$work/file" ] || : >"$work/file"
        cp "$work/out" "$work/out.$kind"
        cp "$work/file" "$work/file.$kind"
    done
    same "$work/out.alone" "$work/out.with"
    same "$work/file.alone" "$work/file.with"
}

# The report is requested in two ways: by the environment, or by an options file, which is read at
# the first product.
mkdir -p "$work/home/mpgpu-gmp"
echo stats:text >"$work/home/mpgpu-gmp/mpgpu.conf"
by_environment() {
    XDG_CONFIG_HOME=$work MPGPU_CONF=backend:none,mul:1,sqr:1,stats:text alone_and_with "$1"
}
by_file() {
    XDG_CONFIG_HOME=$work/home MPGPU_CONF=backend:none,mul:1,sqr:1 alone_and_with "$1"
}
for way in close sweep replace leave; do
    by_environment $way
    grep -q '^mpgpu: mpz_mul' "$work/err" || fail "$way: no report"
    echo "$way: a report on standard error"
done
by_environment all
[ ! -s "$work/err" ] || fail "all: $(cat "$work/err")"
for way in close all replace leave; do
    by_file $way
done
grep -q '^mpgpu: mpz_mul' "$work/err" || fail "options in a file: no report"

# If the library has nothing to print, it must open no descriptor.
for conf in '' backend:none,mul:1,sqr:1; do
    MPGPU_CONF=$conf XDG_CONFIG_HOME=$work alone_and_with count
done

# The program must continue even if nobody reads its standard error, or if no file may grow.
mkfifo "$work/fifo"
: <"$work/fifo" &
status=0
(
    exec 2>"$work/fifo"
    wait
    MPGPU_CONF=backend:none,mul:1,sqr:1,stats:text LD_PRELOAD=$library "$program" leave "$work/file" >"$work/out"
) || status=$?
[ $status -eq 6 ] || fail "nobody reads: exit status $status"
(
    ulimit -f 0
    export MPGPU_CONF=backend:none,mul:1,sqr:1,stats:text LD_PRELOAD="$library"
    exec "$program" leave "$work/file" 2>"$work/limited"
) | cat >"$work/out"
grep -q right "$work/out" || fail "no file may grow: the program has ended"

# Tests Emacs, which closes descriptor 2 before the library prints its report.
command -v emacs >/dev/null 2>&1 || {
    echo "skipped: Emacs is not installed"
    exit 0
}
MPGPU_CONF=backend:none,mul:1,sqr:100,stats:text LD_PRELOAD=$library emacs -Q --batch \
    --eval '(progn (setq integer-width 1000000) (princ (mod (expt 3 60000) 1000007)))' >"$work/out" 2>"$work/err" ||
    fail "emacs: exit status $?"
grep -q '^mpgpu: mp[nz]_' "$work/err" || fail "emacs: no report: $(cat "$work/err")"
