# SPDX-License-Identifier: LGPL-3.0-or-later
# shellcheck shell=sh disable=SC2034,SC2154
# Runs unmodified programs of other projects: with GMP alone, and under preload with every backend
# and both kinds of libgmp.  The tests test_client_*.sh source this after common.sh.

# Thresholds: `small` sends every operation to the device; `large` sends only long operations, as
# with a GPU's own profile. The long watchdog time allows a CPU to build its kernels.
small=watchdog:600,mul:1,sqr:1,mulmod:1,add:1
large=watchdog:600,mul:1000,sqr:1200,mulmod:1000

# Skips the test unless file $1, a program or a module, is linked with the shared libgmp.so.10.
need_shared_gmp() {
    ldd "$1" 2>/dev/null | grep -q 'libgmp\.so\.10 => /' ||
        skip "$1 does not use a shared libgmp.so.10"
}

# Prints a line for each kind of libgmp to test: a word, and the folder that must be searched first.
# In an `open` libgmp, inner calls can be intercepted. In a `symbolic` libgmp, they cannot. If the
# machine's libgmp is `open`, a changed copy of it is the `symbolic` libgmp.
libgmp_kinds() {
    gmp_info=$(MPGPU_CONF=backend:none "$builddir/tools/mpgpu-info")
    file=$(echo "$gmp_info" | sed -n 's/^  library \(.*libgmp.*\)/\1/p')
    case $gmp_info in
    *'inner calls can be'*)
        "$builddir/tests/programs/symbolic" "$file" "$work/libgmp.so.10"
        echo "open $(dirname "$file")"
        echo "symbolic $work"
        ;;
    *) echo "symbolic $(dirname "$file")" ;;
    esac
}

# check_client THRESHOLDS PROGRAM [ARGUMENT]...: runs the program with GMP alone and under preload.
# The output must be the same, and the statistics must show calls sent to the device.  The program's
# input is $work/input if that file exists.
check_client() {
    thresholds=$1
    shift
    input=$work/input
    [ -f "$input" ] || input=/dev/null
    "$@" <"$input" >"$work/gmp" 2>"$work/gmp.err" || fail "$*: exit status $? with GMP alone"
    [ -s "$work/gmp" ] || fail "$*: no output"
    [ -s "$work/gmp.err" ] && fail "$*: $(cat "$work/gmp.err")"
    libgmp_kinds >"$work/kinds"
    while read -r kind folder; do
        for backend in $present; do
            check_preloaded "$@"
        done
    done <"$work/kinds"
}

# Runs the program once under preload, on $backend with the libgmp in $folder, and compares its
# output.
check_preloaded() {
    echo "$thresholds, $kind libgmp, $backend: $*"
    LD_LIBRARY_PATH=$folder${LD_LIBRARY_PATH:+:$LD_LIBRARY_PATH} \
        "$run" --backend "$backend" --wait --stats --conf "$thresholds" "$@" \
        <"$input" >"$work/$backend" 2>"$work/stats" || {
        cat "$work/stats"
        fail "exit status $? under preload"
    }
    cat "$work/stats"
    same "$work/gmp" "$work/$backend"
    [ "$(sent "$work/stats")" -gt 0 ] || fail "nothing was sent"
}

present=$(backends)
[ -n "$present" ] || skip "no device on this machine (neither CUDA nor OpenCL)"
