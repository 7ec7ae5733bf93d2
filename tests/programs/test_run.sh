#!/bin/sh
# SPDX-License-Identifier: LGPL-3.0-or-later
# Tests mpgpu-run: its exit status and messages, and the environment and arguments that it passes to
# the program.
. "$(dirname "$0")/../support/common.sh"

# LD_PRELOAD names a link whose path contains $PLATFORM.  Only glibc replaces this word; so the
# dynamic linkers of other systems find no library there, or an empty one.
preloads=$builddir/.libs/mpgpu-gmp/preload
preloaded="$preloads/\$PLATFORM/libmpgpu-gmp.so.0"
[ -d "$preloads/$(uname -m)" ] || preloaded=$library

# Runs mpgpu-run with arguments $3...: the exit status must be $1, and the message on standard error
# must contain $2.
expect() {
    wanted=$1
    text=$2
    shift 2
    status=0
    "$run" "$@" >"$work/out" 2>"$work/err" || status=$?
    [ $status -eq "$wanted" ] || fail "mpgpu-run $*: exit status $status, not $wanted"
    [ -z "$text" ] || grep -q -e "$text" "$work/err" || fail "mpgpu-run $*: no '$text' in: $(cat "$work/err")"
}
echo 'echo no' >"$work/plain"
mkdir -p "$work/folder"
expect 125 'no program given'
expect 125 'Usage'
expect 125 'option --wrong' --wrong true
expect 125 '--backend needs a value' --backend
expect 125 '--device.*comma' --device a,b true
expect 125 '--wait takes no value' --wait=x true
expect 125 '--help takes no value' --help=x
expect 125 '--replace takes no value' --replace=x
expect 125 "--threshold: bad value '20k': it takes a number of limbs" --threshold 20k true
[ "$(wc -l <"$work/err")" -eq 1 ] && ! grep -q mulmod "$work/err" || fail "of keys nobody typed: $(cat "$work/err")"
expect 125 "--backend: bad value 'vulkan': it takes auto, cuda, opencl or none" --backend=vulkan true
expect 125 "--log: bad value '7'" --log 7 true
expect 125 "--stats: bad value 'xml'" --stats=xml true
expect 125 "--conf: unknown key 'backed'" --conf log:1,backed:none true
expect 125 "--conf: bad value 'many' for key 'streams'" --conf streams:many true
expect 125 '--conf: no value for key "streams"' --conf streams true
expect 125 "--stats-file: '/nonexistent/x' cannot be written: No such file" --stats-file /nonexistent/x true
expect 125 "--stats-file: a value cannot begin or end with a blank: '$work/x '" --stats-file "$work/x " true
[ ! -e "$work/x " ] || fail 'the file was made'
expect 125 "bad value 'a b': it takes 0 to 3" --log 'a
b' true
expect 0 '' --conf backend:none,lanes:2 true # the name that streams had before
expect 127 'no-such-program-here: no such' no-such-program-here
expect 127 '/nonexistent/x: no such' /nonexistent/x
expect 126 "$work/plain: cannot" "$work/plain"
expect 126 "$work/folder: cannot" "$work/folder"
expect 3 '' sh -c 'exit 3'
expect 0 '' --stats true
PATH=$work:$PATH expect 126 'plain: cannot' plain

"$run" --help | grep -q -- --threshold || fail '--help'
"$run" -h >"$work/out" && "$run" --help | same /dev/stdin "$work/out" || fail '-h'
"$run" --version | grep -q '^mpgpu-run .*[0-9]' || fail '--version'

# shellcheck disable=SC2016 # for the inner shell
conf=$(MPGPU_CONF=log:2 "$run" --backend=none --threshold 7 --stats --wait --log 1 --conf add:9 \
    sh -c 'echo "$MPGPU_CONF"')
[ "$conf" = log:2,backend:none,mul:7,sqr:7,mulmod:7,stats:text,open:wait,log:1,add:9 ] ||
    fail "MPGPU_CONF is $conf"
# shellcheck disable=SC2016
[ "$("$run" sh -c 'echo "${MPGPU_CONF-unset}"')" = unset ] || fail "MPGPU_CONF made from nothing"
# shellcheck disable=SC2016
preload=$(LD_PRELOAD='libm.so.6 libdl.so.2' "$run" -- sh -c 'echo "$LD_PRELOAD"')
[ "$preload" = "libm.so.6:libdl.so.2:$preloaded" ] || fail "LD_PRELOAD is $preload"
# A libgmp comes behind the library.
# shellcheck disable=SC2016
preload=$(LD_PRELOAD=libm.so.6:libgmp.so.10:libdl.so.2 "$run" -- sh -c 'echo "$LD_PRELOAD"')
[ "$preload" = "libm.so.6:$preloaded:libgmp.so.10:libdl.so.2" ] || fail "LD_PRELOAD is $preload"
# A missing library in LD_PRELOAD must be reported once, and stay in the list for the dynamic
# linker.
for missing in /nonexistent/a.so no-such-library.so; do
    # shellcheck disable=SC2016
    LD_PRELOAD=$missing:libm.so.6 "$run" sh -c 'echo "$LD_PRELOAD"' >"$work/out" 2>"$work/err"
    [ "$(grep -c '^mpgpu-run: ' "$work/err")" -eq 1 ] || fail "$missing: $(cat "$work/err")"
    grep -q "^mpgpu-run: LD_PRELOAD names $missing: cannot open" "$work/err" || fail "$(cat "$work/err")"
    [ "$(cat "$work/out")" = "$missing:libm.so.6:$preloaded" ] || fail "LD_PRELOAD is $(cat "$work/out")"
done
# Tests a program whose path looks like an assignment, and a script without a "#!" line.
mkdir -p "$work/a=b"
# shellcheck disable=SC2016 # for the script
echo 'echo "$1"; exit 5' >"$work/a=b/c"
chmod +x "$work/a=b/c"
expect 5 '' "$work/a=b/c" hello
[ "$(cat "$work/out")" = hello ] || fail "a program whose path holds '=': $(cat "$work/out")"
# Arguments must arrive unchanged.
[ "$("$run" printf '<%s>' 'a b' '' '*')" = '<a b><><*>' ] || fail "arguments"

# The reader of a FIFO must get the whole report, although mpgpu-run tests whether it can be written.
mkfifo "$work/fifo"
cat "$work/fifo" >"$work/out" &
"$run" --backend none --threshold 100 --stats-file "$work/fifo" sh -c 'sleep 1; exec "$@"' sh "$builddir/examples/pi" 20000 \
    >/dev/null || fail 'a FIFO'
wait $!
grep -q '"mpz_mul"' "$work/out" || fail "a FIFO: $(cat "$work/out")"

# The program must have the process number of mpgpu-run.
# shellcheck disable=SC2016 # for the inner shell
"$run" sh -c 'echo $$' >"$work/out" &
wait $!
[ "$(cat "$work/out")" = $! ] || fail "the program is process $(cat "$work/out"), not $!"
# Five descriptors suffice.
status=0
# shellcheck disable=SC2016 # for the inner shell
sh -c 'ulimit -n 5 && exec "$@"' sh "$run" sh -c 'exit 3' || status=$?
[ $status -eq 3 ] || fail "with five descriptors: status $status"

# mpgpu-run is called through a link into a tree that was moved: it must find the library in that
# tree.
mkdir -p "$work/moved/bin" "$work/moved/lib" "$work/elsewhere"
cp "$run" "$work/moved/bin/mpgpu-run"
ln -s "$library" "$work/moved/lib/libmpgpu-gmp.so.0"
ln -s ../moved/bin/mpgpu-run "$work/elsewhere/first"
ln -s "$work/elsewhere/first" "$work/elsewhere/second"
# shellcheck disable=SC2016 # for the inner shell
preload=$("$work/elsewhere/second" sh -c 'echo "$LD_PRELOAD"') || fail "a link to mpgpu-run: status $?"
[ "$preload" = "$work/moved/lib/libmpgpu-gmp.so.0" ] || fail "LD_PRELOAD is $preload"
preload=$(PATH=$work/elsewhere:$PATH second sh -c 'echo "$LD_PRELOAD"') || fail "a link in PATH: status $?"
[ "$preload" = "$work/moved/lib/libmpgpu-gmp.so.0" ] || fail "LD_PRELOAD is $preload"

# A profiling timer that the program inherits must continue without losing time.  A preloaded
# profiler's timer must start anew in the program.  No timer may end mpgpu-run.
timed=$builddir/tests/programs/timed
"$timed" inherit "$run" "$timed" show >"$work/out" || fail "an inherited timer: status $?"
[ "$(cat "$work/out")" = 'prof 100, virtual 100' ] || fail "the timer has $(cat "$work/out")"
for i in 1 2 3 4 5 6 7 8 9 10 11 12; do
    LD_PRELOAD=$builddir/tests/programs/.libs/profiler.so "$run" "$timed" show >"$work/out" ||
        fail "a preloaded profiler, run $i: status $?"
done
