# SPDX-License-Identifier: LGPL-3.0-or-later
# shellcheck shell=sh disable=SC2034,SC2154
# Programs of others, unmodified: with GMP alone, and under preload with every
# backend and both kinds of libgmp. Sourced by the tests test_client_*.sh, after
# common.sh.

# Thresholds: `small` sends everything, `large` as a GPU's profile does.  The watchdog gives a CPU
# time to build its kernels.
small=watchdog:600,mul:1,sqr:1,mulmod:1,add:1
large=watchdog:600,mul:1000,sqr:1200,mulmod:1000

# Skip unless file $1, a program or a module, has GMP from libgmp.so.10.
need_shared_gmp() {
    ldd "$1" 2>/dev/null | grep -q 'libgmp\.so\.10 => /' ||
        skip "$1 does not use a shared libgmp.so.10"
}

# Prints the kinds of libgmp, one a line: a word and the folder to search first.  If the inner calls
# of the machine's libgmp can be intercepted, a copy whose inner calls cannot comes second.
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

# check_client THRESHOLDS PROGRAM [ARGUMENT]...: its output is the same each time,
# and the statistics show calls sent.  Its input is $work/input, if that is there.
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

# One of check_client's runs.
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
