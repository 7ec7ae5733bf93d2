#!/bin/sh
# SPDX-License-Identifier: LGPL-3.0-or-later
# Tests wrong options and missing devices: the program runs on GMP.  It prints a warning about each
# option that is wrong or names something missing, and no other warning.
. "$(dirname "$0")/../support/common.sh"
pi=$builddir/examples/pi
"$pi" 20000 >"$work/gmp"

# Runs pi with options $1.  The digits must be right, and standard error must have $2 lines (+1: one
# or more), one of which contains $3.
expect() {
    MPGPU_CONF=mul:200,sqr:200,open:wait,$1 LD_PRELOAD=$library "$pi" 20000 >"$work/out" \
        2>"$work/err" || fail "$1: exit status $?"
    same "$work/gmp" "$work/out"
    lines=$(wc -l <"$work/err")
    [ "$lines" -eq "${2#+}" ] || { [ "$2" = +1 ] && [ "$lines" -gt 1 ]; } ||
        fail "$1: not $2 lines: $(cat "$work/err")"
    [ "$2" = 0 ] || grep -q "$3" "$work/err" || fail "$1: no '$3' in: $(cat "$work/err")"
}
expect backend:none,colour:blue 1 'colour'
expect backend:none,mul:many 1 'many'
expect backend:none,sqr:-3 1 'sqr'
expect backend:none,log:99 1 '99'
expect backend:quantum,backend:none 1 'quantum'
expect backend:none,open 1 'open'
expect backend:none,memory:1X 1 'memory'
expect backend:none,dispatch:never 1 'dispatch'
expect backend:none,=,:, 2 ''
expect backend:none 0
expect device:no-such-device-anywhere 1 'none for backend auto, device no-such-device-anywhere.*; GMP computes'
expect backend:none,stats:text,verify:full +1 'no device'

# Wrong arguments of mpgpu-serve: the server must not start, and one line must name the wrong
# argument.
while IFS='|' read -r arguments text; do
    status=0
    # shellcheck disable=SC2086 # split on purpose
    "$builddir/tools/mpgpu-serve" $arguments >"$work/out" 2>"$work/err" || status=$?
    [ $status -eq 2 ] || fail "mpgpu-serve $arguments: exit status $status"
    [ "$(cat "$work/out" "$work/err")" = "mpgpu-serve: $text" ] || fail "mpgpu-serve $arguments: $(cat "$work/err")"
done <<'TEXT'
--idle x|bad value "x" for --idle: it takes seconds, 0 and more
--idle -1|bad value "-1" for --idle: it takes seconds, 0 and more
--foreground --idle|bad value "" for --idle: it takes seconds, 0 and more
--list --end|--list stands alone: --end is too much
--foreground --end|--end stands alone: --foreground is too much
--colour|--colour is not understood (mpgpu-serve --help)
TEXT

# A program whose output cannot be written must not exit with 0.  The installed ones must say why,
# in one line.
tools=$(for tool in run serve info bench tune; do printf 'tools/mpgpu-%s --help\ntools/mpgpu-%s --version\n' $tool $tool; done)
while read -r program; do
    # shellcheck disable=SC2086 # split on purpose
    LD_LIBRARY_PATH=$builddir/.libs MPGPU_CONF=backend:none "$builddir"/$program >/dev/full 2>"$work/err" </dev/null &&
        fail "$program: exit status 0 without its output"
    case $program in
    tools/*)
        [ "$(grep -c '^mpgpu-[a-z]*: standard output: ' "$work/err")" -eq 1 ] || fail "$program: $(cat "$work/err")"
        ;;
    esac
done <<TEXT
$tools
tools/mpgpu-info
tools/mpgpu-info --device
tools/mpgpu-bench -b none --sizes 10:10 -o mul -c gmp --quick
examples/pi 10
examples/pi --help
examples/pi-splitting 10
examples/pi-splitting --help
examples/points 3
examples/inverses 3 3
examples/fixed-matrices 2 64
examples/eight-squares 10
examples/eight-squares --help
examples/proth/proth 3 2
examples/proth/proth --help
examples/batch-gcd/batch-gcd --help
examples/mandelbrot/mandelbrot --help
TEXT

# Examples name the argument that is wrong.
for program in pi pi-splitting points fixed-matrices eight-squares; do
    for value in '' x -1 0 10x 99999999999999999999; do
        status=0
        "$builddir/examples/$program" "$value" >"$work/out" 2>"$work/err" || status=$?
        [ $status -eq 2 ] && [ ! -s "$work/out" ] && head -n 1 "$work/err" | grep -qF "$program: " &&
            head -n 1 "$work/err" | grep -qF "'$value'" || fail "$program '$value': $status: $(cat "$work/err")"
    done
done

# A value of --backend and --device brings no other options with it.
for tool in run bench; do
    status=0
    "$builddir/tools/mpgpu-$tool" --backend none,log:3 --quick 2>"$work/err" || status=$?
    [ $status -ge 2 ] && grep -q "^mpgpu-$tool: --backend: .* comma: 'none,log:3'" "$work/err" ||
        fail "mpgpu-$tool --backend none,log:3: status $status: $(cat "$work/err")"
done

# Tests a machine without any driver: OpenCL finds none, and CUDA may use no GPU. Some OpenCL
# loaders search the system's folder in spite of these variables.
export OCL_ICD_VENDORS=/nonexistent OCL_ICD_FILENAMES='' CUDA_VISIBLE_DEVICES=''
without=cuda
if "$builddir/tools/mpgpu-info" | grep -q '^backend opencl: [1-9]'; then
    echo "skipped: OpenCL without a driver: the ICD loader here finds one all the same"
else
    without='auto opencl cuda'
fi
for backend in $without; do
    if [ "$backend" = auto ]; then
        expect "backend:$backend" 0
    else
        expect "backend:$backend" 1 "^mpgpu: none for backend $backend, device auto (.*); GMP computes"
    fi
    expect "backend:$backend,stats:text" +1 'device: '
    awk '$2 == "mpz_mul" && $4 == 0 && /no device/ { found = 1 } END { exit !found }' "$work/err" ||
        fail "the statistics do not say why: $(cat "$work/err")"
done

# Tests cache folders that cannot be used: one that cannot be created, and one whose name is the
# name of a file.
unset OCL_ICD_VENDORS OCL_ICD_FILENAMES CUDA_VISIBLE_DEVICES
[ -n "$(backends)" ] || echo "skipped: cache folders that cannot be used: no device on this machine"
expect cache:/proc/nonexistent/x 0
expect "cache:$work/gmp" 0
