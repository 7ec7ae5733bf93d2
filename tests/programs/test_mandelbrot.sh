#!/bin/sh
# SPDX-License-Identifier: LGPL-3.0-or-later
# Tests examples/mandelbrot: the picture from the device must equal the host's, byte for byte.  Bad
# input must give one line and no file.  A file must be written completely or not at all.
. "$(dirname "$0")/../support/common.sh"
program=$builddir/examples/mandelbrot/mandelbrot
[ -x "$program" ] || skip 'no examples/mandelbrot: libpng was not found'
pictures=$work/pictures
mkdir "$pictures"

# a place of the Mandelbrot set that has detail at every magnification
spirals='--centre=-0.743643887037158704752191506114774,0.131825904205311970493132056385139'
tip='--x -2 --y 0'

# Draws a picture with engine $1 into $pictures/$2.png; $3... are options.
draw() {
    engine=$1
    name=$2
    shift 2
    "$program" --size 48x30 --engine "$engine" --output "$pictures/$name.png" "$@" \
        2>"$work/err" || fail "$engine $*: $(cat "$work/err")"
    [ "$(head -c 4 "$pictures/$name.png" | tail -c 3)" = PNG ] || fail "$engine $*: no PNG"
}

# The only line of --verbose must begin with "mandelbrot: $1".
said() {
    grep -q "^mandelbrot: $1" "$work/err" || fail "not '$1': $(cat "$work/err")"
    [ "$(wc -l <"$work/err")" -eq 1 ] || fail "more than a line: $(cat "$work/err")"
}


compare_engines() {
    engine=$1
    shift
    draw "$engine" host --backend none --verbose "$@"
    said "$engine by the host from row 0 of"
    for backend in $all_backends; do
        draw "$engine" "$backend" --backend "$backend" --verbose "$@"
        said "$engine by $backend: "
        same "$pictures/host.png" "$pictures/$backend.png"
    done
    echo "passed: $engine, host${all_backends:+ and }$all_backends"
}

all_backends=$(backends | tr '\n' ' ')
for engine in double fp128 fp192 fp256; do
    # shellcheck disable=SC2086 # several options
    compare_engines "$engine" $spirals --radius 1e-5 --iterations 700 --palette ember
done
# shellcheck disable=SC2086
compare_engines fp128 $tip --radius 1e-20 --samples 2
# shellcheck disable=SC2086
compare_engines fp256 $tip --radius 1e-60 --cycle 3 --position 50

# Engine `auto` must give the picture of the engine that it chooses, and a palette must change the
# picture.
# shellcheck disable=SC2086
{
    draw auto auto --backend none --verbose $tip --radius 1e-20 --samples 2
    said 'fp128 by'
    draw fp128 again --backend none $tip --radius 1e-20 --samples 2
    same "$pictures/auto.png" "$pictures/again.png"
    draw auto other --backend none $tip --radius 1e-20 --samples 2 --palette moss
    cmp -s "$pictures/auto.png" "$pictures/other.png" && fail 'a palette changes nothing'
    draw gmp gmp --verbose $tip --radius 1e-90
    said 'gmp by the host$'
    draw gmp-plain plain --verbose $tip --radius 1e-90
    said 'gmp-plain by the host$'
    same "$pictures/gmp.png" "$pictures/plain.png"
    draw auto auto $tip --radius 1e-90
    same "$pictures/gmp.png" "$pictures/auto.png"
    draw gmp long $tip --radius 1e-500 --iterations 2000
}
[ ! -s "$work/err" ] || fail "words without --verbose: $(cat "$work/err")"
"$program" --size 8x8 --backend none --output - >"$pictures/stdout.png" || fail 'standard output'
(cd "$pictures" && "$program" --size 8x8 --backend none && same mandelbrot.png stdout.png)
echo "passed: engines by depth, perturbation, options"

# An option overrides MPGPU_CONF, even if numbers stand before it on the command line. GMP reads
# these numbers, and the library reads MPGPU_CONF at the first call of GMP.
# shellcheck disable=SC2086
for options in "$spirals --backend none" "--backend none $spirals"; do
    MPGPU_CONF=backend:opencl,device:nonesuch draw fp128 none --verbose $options
    said 'fp128 by the host from row 0 of 30 on; device: backend:none'
done

# Each backend must be found without the options that the tests set. For a CPU, the library starts a
# helper process from the build tree.
for backend in $all_backends; do
    XDG_CONFIG_HOME=$work MPGPU_CONF=server:off "$program" --size 48x30 --engine fp128 --backend "$backend" --verbose \
        --output "$pictures/$backend.png" 2>"$work/err" || fail "$backend: $(cat "$work/err")"
    said "fp128 by $backend: "
done

# If an option names a missing device, the library prints one line, and the host draws the picture.
"$program" --size 48x30 --backend none --output "$pictures/host.png" || fail '--backend none'
for device in '--device nonesuch' '--backend cuda --device nonesuch' \
    '--backend opencl --device 999'; do
    # shellcheck disable=SC2086
    draw double named $device
    grep -q '^mpgpu: none for .*; GMP computes$' "$work/err" && [ "$(wc -l <"$work/err")" -eq 1 ] ||
        fail "$device: $(cat "$work/err")"
    same "$pictures/host.png" "$pictures/named.png"
    # shellcheck disable=SC2086
    draw gmp named $device
    [ ! -s "$work/err" ] || fail "gmp needs no device: $(cat "$work/err")"
done
echo "passed: a device that is not there"

# Checks that bad options are refused: with one line that contains the value $1, status 2, and no
# file. WANTED=1 changes the expected status, for a failure that is not caused by a bad option.
rm -f "$pictures"/*
refused() {
    value=$1
    shift
    status=0
    "$program" --backend none --output "$pictures/x.png" "$@" >"$work/out" 2>"$work/err" || status=$?
    [ $status -eq "${WANTED-2}" ] || fail "$*: exit status $status"
    [ "$(wc -l <"$work/err")" -eq 1 ] && [ ! -s "$work/out" ] || fail "$*: $(cat "$work/err")"
    grep -q '^mandelbrot: ' "$work/err" || fail "$*: $(cat "$work/err")"
    grep -qF -e "$value" "$work/err" || fail "$*: not '$value': $(cat "$work/err")"
    [ -z "$(ls -A "$pictures")" ] || fail "$*: left $(ls -A "$pictures")"
}
for value in '' 1.2.3 abc 0x10 1e 1,5 nan 1e99999 -; do
    refused "--x $value" --x "$value"
    refused "--y $value" --y "$value"
    refused "--radius $value" --radius "$value"
done
refused '--centre 1' --centre 1
refused '--centre 1x' --centre 1x,0
refused '--centre 1,2,3' --centre 1,2,3
refused '--centre 1,1e99999' --centre 1,1e99999
for value in 0 -1 33 1e10; do
    refused "--radius $value" --radius "$value"
done
refused '--x 32' --x 32 --radius 1
refused '--y -40.5' --y -40.5 --radius 1
refused '--centre 0,-32' --centre 0,-32 --radius 1
refused '--centre 99,0' --y 99 --centre 99,0
refused '--x 99' --centre 99,0 --x 99
refused '--radius 2' --x 31 --radius 2
refused '--size 4000x10' --size 4000x10 --radius .1
refused '--size 10x4000' --size 10x4000 --radius .1
refused '--radius 1e-20' --radius 1e-20 --engine double
refused '--radius 1e-40' --radius 1e-40 --engine fp128
refused '--radius 1e-60' --radius 1e-60 --engine fp192
refused '--radius 1e-80' --radius 1e-80 --engine fp256
refused '--radius 1e-6000' --radius 1e-6000
for value in '' 0x10 10x0 -5x5 5x-5 10 10x 10x10x10 1.5x2 1000001x1 99999999999999999999x1; do
    refused "--size $value" --size "$value"
done
refused '--size 1000000x1000000' --size 1000000x1000000
for value in 0 -1 4294967296 99999999999999999999999 1e3 ''; do
    refused "--iterations $value" --iterations "$value"
done
# The orbit of this point never ends, and the engine gmp stores 16 bytes for each iteration. So
# 4000000000 iterations exceed the memory limit.
(
    ulimit -v 200000
    WANTED=1 refused '--iterations 4000000000: not enough memory' --engine gmp --x -2 --iterations 4000000000
)
refused '--samples 9' --samples 9
refused '--cycle 0' --cycle 0
refused '--position 101' --position 101
refused '--palette mud' --palette mud
refused '--engine fp512' --engine fp512
refused '--backend metal' --backend metal
refused '--colour: no such option' --colour
refused '-q: no such option' -qv
refused '-q: no such option' -v -vq
refused '-q: no such option' --verbose -qv
refused '--verbose=3: takes no value' --verbose=3
refused '--version=3: takes no value' --version=3
refused '-p: no value' -vp
refused '--palette: no value' --palette
refused '--x' --x
refused 'another.png' another.png
refused "--output ''" --output ''
WANTED=1 refused "$work/none/x.png" --output "$work/none/x.png"
WANTED=1 refused "$pictures" --output "$pictures/"
echo "passed: bad input is refused by its value"

# If the disk is full, or the picture would exceed the limit of file sizes, the old file must stay
# unchanged.
WANTED=1 refused '/dev/full: No space left' --size 64x64 --output /dev/full
echo before >"$work/x.png"
(
    ulimit -f 1
    pictures=$work/none
    mkdir "$pictures"
    WANTED=1 refused "$work/x.png: File too large" --size 256x256 --output "$work/x.png"
)
[ "$(cat "$work/x.png")" = before ] || fail 'a picture that failed has replaced a file'
[ "$(find "$work" -name 'x.png*' | wc -l)" -eq 1 ] || fail "left: $(ls "$work")"

# If the output is a link to a file, the picture replaces the file, and the link stays. The picture
# replaces a link to a missing file.
mkdir "$work/links"
ln -s ../x.png "$work/links/to_file"
ln -s nowhere "$work/links/to_nowhere"
for name in to_file to_nowhere; do
    "$program" --size 8x8 --backend none --output "$work/links/$name" || fail "a link: $name"
done
[ -L "$work/links/to_file" ] || fail 'a link was replaced'
same "$work/x.png" "$work/links/to_nowhere"
[ ! -L "$work/links/to_nowhere" ] && [ ! -e "$work/links/nowhere" ] || fail 'a link to nowhere'

# A signal during the drawing must leave no file and end the program with the signal's status within
# 3 s.  A CPU needs more than 3 s for one row of these pictures.  The file name has the maximum
# length.
name=$(printf '%0255d' 0)
wait_for_file() {
    for _ in 1 2 3 4 5 6 7 8 9 10 11 12 13 14 15 16 17 18 19 20; do
        [ -n "$(ls -A "$pictures")" ] && return
        sleep 0.1
    done
    fail "SIG$signal: no temporary file to be removed"
}
ends_by_signal() {
    signal=$1
    shift
    # Shells make background jobs ignore SIGINT and SIGQUIT, and nohup SIGHUP: `env` resets these
    # signals.
    (ulimit -c 0 && exec env --default-signal=INT,QUIT,HUP,TERM "$program" "$@" --x 0 --y 0 --radius 1e-5 \
        --size 100000x1 --iterations 100000000 --output "$pictures/$name") &
    pid=$!
    wait_for_file
    sleep 1.5 # by then the device is drawing
    kill -s "$signal" $pid
    (sleep 3 && kill -KILL $pid) 2>/dev/null &
    killer=$!
    status=0
    wait $pid || status=$?
    kill $killer 2>/dev/null || true
    [ "$(kill -l $status)" = "$signal" ] || fail "$*: SIG$signal: status $status"
    [ -z "$(ls -A "$pictures")" ] || fail "$*: SIG$signal: left $(ls -A "$pictures")"
}
for signal in INT TERM HUP QUIT; do
    ends_by_signal $signal --engine gmp-plain
    for backend in $all_backends; do
        ends_by_signal $signal --engine fp256 --backend "$backend"
    done
done
echo "passed: no partial file"

"$program" --help | grep -q -e '--palette' || fail '--help'
[ "$("$program" --version | wc -l)" -eq 1 ] || fail '--version'
