#!/bin/sh
# SPDX-License-Identifier: LGPL-3.0-or-later
# Tests mpgpu-run with child processes: they inherit LD_PRELOAD.  Programs for other dynamic loaders
# that do not use GMP must run as they do alone.  With --no-children, children inherit nothing.
. "$(dirname "$0")/../support/common.sh"
command -v "${CC:=cc}" >/dev/null 2>&1 || need_command "${CC%% *}"

echo 'int main(void) { return 3; }' >"$work/child.c"
# shellcheck disable=SC2016 # for the script
printf '#!/bin/sh\n"$@"; echo "child $?"\n' >"$work/script"
chmod +x "$work/script"

# child NAME COMPILER...: builds a program with this compiler, and runs it from a script and
# directly.
child() {
    name=$1
    shift
    if ! "$@" "$work/child.c" -o "$work/$name" 2>"$work/err"; then
        echo "skipped: $name: $* does not link"
        return
    fi
    for options in '' --no-children; do
        # shellcheck disable=SC2086 # one word or none
        "$run" $options "$work/script" "$work/$name" >"$work/out" 2>&1 || fail "$name: status $?"
        [ "$(cat "$work/out")" = 'child 3' ] || fail "$name: $(cat "$work/out")"
        status=0
        # shellcheck disable=SC2086
        "$run" $options "$work/$name" >"$work/out" 2>&1 || status=$?
        [ $status -eq 3 ] && [ ! -s "$work/out" ] || fail "$name: status $status, $(cat "$work/out")"
    done
    echo "passed: $name"
}
# shellcheck disable=SC2086 # with flags
child glibc $CC
# shellcheck disable=SC2086
child static $CC -static
child musl musl-gcc
# shellcheck disable=SC2086
[ "$(uname -m)" != x86_64 ] || child 32-bit $CC -m32

# With --no-children, the program and its children must see the LD_PRELOAD that was set before.
# shellcheck disable=SC2016 # for the inner shells
show='echo "$LD_PRELOAD ${MPGPU_RUN-unset}"; env | grep -c "^MPGPU_RUN=" || true; sh -c "env | grep ^LD_PRELOAD= || true"'
for before in '' libm.so.6 'libm.so.6 libdl.so.2'; do
    LD_PRELOAD=$before sh -c "$show" >"$work/alone"
    LD_PRELOAD=$before "$run" --no-children --stats sh -c "$show" >"$work/out" 2>"$work/err" || fail "status $?"
    # An empty LD_PRELOAD counts as unset.
    [ -n "$before" ] || sed -i '/^LD_PRELOAD=$/d' "$work/alone"
    same "$work/alone" "$work/out"
    grep -q ': no call of GMP' "$work/err" || [ ! -s "$work/err" ] || fail "$(cat "$work/err")"
done
# The library must intercept the calls of the program itself, also if `env` becomes the program.
# With --no-children, it must not intercept calls of child processes.
pi=$builddir/examples/pi
for options in '' --no-children; do
    for program in "$pi 3000" "env $pi 3000"; do
        # shellcheck disable=SC2086 # split on purpose
        "$run" $options --backend none --threshold 1 --stats $program >"$work/out" 2>"$work/err" || fail "status $?"
        grep -q '^mpgpu: mpz_mul ' "$work/err" || fail "$options $program: $(cat "$work/err")"
    done
    "$run" $options --backend none --threshold 1 --stats "$work/script" "$pi" 3000 >"$work/out" 2>"$work/err"
    [ "$(grep -c '^mpgpu: mpz_mul ' "$work/err")" -eq "$([ "$options" ] && echo 0 || echo 1)" ] ||
        fail "a child with '$options': $(cat "$work/err")"
done
