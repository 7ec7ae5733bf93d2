#!/bin/sh
# SPDX-License-Identifier: LGPL-3.0-or-later
# Run the tests of a bundle (`make device-bundle`) on a machine with a GPU, with
# CUDA and with NVIDIA's OpenCL, on that machine's libgmp and on Debian's.
# Usage: device.sh BUNDLE_DIR [TEST]...
#   TEST   a test's name, as test_mul or test_pi.sh; all if none is given
# Logs go to $OUT, else device-logs/; a line a test, totals last; exit status 1 if
# one failed.  GMP_KINDS="system debian" chooses the libgmp; none: no tests.
# SANITIZE="memcheck racecheck initcheck" also runs the device code with CUDA under
# these tools of compute-sanitizer.
# SUITE_SECONDS=60 also runs the test suites that the bundle carries (SUITES of
# tests/device-bundle.sh), each program for that long at most, SUITE_JOBS at a time.
# BENCH="14 28" also measures products of 2^14 to 2^28 bits on each backend.
# TUNE=1 measures a profile of each backend by mpgpu-tune; lib/profiles/ has such ones.
# MARKS=all measures the table of marks again (tests/marks.sh), MARKS="small link" rows of it.
set -u
if [ ! -d "${1:-/nonexistent}/.libs" ]; then
    echo 'Usage: device.sh BUNDLE_DIR [TEST]...' >&2
    exit 2
fi
bundle=$(cd "$1" && pwd)
shift
mkdir -p "${OUT:=device-logs}"
OUT=$(cd "$OUT" && pwd)
passed=0 failed=0 skipped=0

work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

export abs_top_srcdir="$bundle" abs_top_builddir="$bundle"
export XDG_CACHE_HOME="$work" XDG_CONFIG_HOME="$work"
unset MPGPU_CONF LD_PRELOAD

# The libraries before the system's, for libgmp of kind $1.
libraries=$bundle/lib${LD_LIBRARY_PATH:+:$LD_LIBRARY_PATH}
library_path() {
    case $1 in
    debian) echo "$bundle/libgmp-debian:$libraries" ;;
    *) echo "$libraries" ;;
    esac
}

. "$bundle/tests/nvidia_opencl.sh"
export LD_LIBRARY_PATH="$libraries"
nvidia_opencl_only "$work/icd" "$bundle/tools/mpgpu-info"

# Count test $1 of kind $2 by its exit status $3, and tell; its output is in $log.
count() {
    case $3 in
    0) passed=$((passed + 1)) word=PASS ;;
    77) skipped=$((skipped + 1)) word=SKIP ;;
    *) failed=$((failed + 1)) word=FAIL ;;
    esac
    echo "$word: $1 ($2, $(($(date +%s) - start)) s)"
    [ "$3" -eq 0 ] || tail -n 8 "$log" | sed 's/^/    /'
}

# Run test file $1 with libgmp of kind $2.
run_test() {
    log=$OUT/$(basename "$1" .sh).$2.log
    start=$(date +%s)
    (
        cd "$bundle" || exit 1
        LD_LIBRARY_PATH=$(library_path "$2"):$bundle/clients
        PATH=$PATH:$bundle/clients
        export LD_LIBRARY_PATH PATH
        case $1 in
        *.sh) exec sh "$1" ;;
        *) exec "$1" ;;
        esac
    ) >"$log" 2>&1 </dev/null
    count "$(basename "$1")" "$2 libgmp" $?
}

# Suite folder $1 on backend $2, with the libraries in $4 and libgmp of kind $3.
run_suite() {
    name=suite.$(basename "$1").$2.$3
    log=$OUT/$name.log
    start=$(date +%s)
    OUT=$OUT/$name LD_LIBRARY_PATH=$4 BACKEND=$2 SECONDS_EACH=$SUITE_SECONDS \
        JOBS=${SUITE_JOBS:-8} sh "$bundle/tests/suite.sh" "$bundle" "$1" >"$log" 2>&1
    count "$name" "$(tail -n 1 "$log")" $?
}

# The suites carried, on the libgmp that they are for, and on a copy of it whose
# inner calls cannot be caught.
run_suites() {
    for suite in "$bundle"/suites/*; do
        [ -d "$suite" ] || continue
        libraries=$bundle/suites-lib/$(basename "$suite")
        "$bundle/tests/integration/symbolic" "$libraries/libgmp.so.10" "$work/libgmp.so.10"
        for backend in cuda opencl; do
            run_suite "$suite" "$backend" open "$libraries"
            run_suite "$suite" "$backend" symbolic "$work:$libraries"
        done
    done
}

# The device code under tool $1 of compute-sanitizer.
sanitize() {
    log=$OUT/sanitize.$1.log
    start=$(date +%s)
    LD_LIBRARY_PATH=$(library_path system) PATH=$PATH:/usr/local/cuda/bin \
        sh "$bundle/tests/sanitize/kernels.sh" "$bundle" "$1" >"$log" 2>&1
    count compute-sanitizer "$1" $?
}

wanted() {
    [ -z "$tests" ] && return 0
    case " $tests " in
    *" $(basename "$1") "*) return 0 ;;
    esac
    return 1
}

tests=$*
for kind in ${GMP_KINDS-system debian}; do
    LD_LIBRARY_PATH=$(library_path "$kind") "$bundle/tools/mpgpu-info" >"$OUT/info.$kind.log" 2>&1
    for file in "$bundle"/tests/unit/test_* "$bundle"/tests/integration/test_*.sh; do
        [ -f "$file" ] && wanted "$file" && run_test "$file" "$kind"
    done
done
[ -z "${kind-}" ] || cat "$OUT/info.$kind.log"
for tool in ${SANITIZE-}; do
    sanitize "$tool"
done
[ -z "${SUITE_SECONDS-}" ] || run_suites
if [ -n "${BENCH-}" ]; then
    for backend in cuda opencl; do
        # shellcheck disable=SC2086 # two numbers
        MPGPU_CONF=backend:$backend LD_LIBRARY_PATH=$(library_path system) \
            "$bundle/tools/mpgpu-bench" $BENCH --csv "$OUT/bench.$backend.csv" 2>&1 | tee "$OUT/bench.$backend.log"
    done
fi
if [ -n "${TUNE-}" ]; then
    for backend in cuda opencl; do
        log=$OUT/tune.$backend.log
        start=$(date +%s)
        LD_LIBRARY_PATH=$(library_path system) "$bundle/tools/mpgpu-tune" --backend "$backend" --verbose \
            --output "$OUT/$backend.profile" >"$log" 2>&1
        count mpgpu-tune "$backend" $?
        sed -n '/times faster/,$p' "$log"
    done
fi
if [ -n "${MARKS-}" ]; then
    log=$OUT/marks.log
    start=$(date +%s)
    # shellcheck disable=SC2086 # rows
    OUT=$OUT/marks sh "$bundle/tests/marks.sh" "$bundle" $(echo "$MARKS" | sed 's/^all$//') >"$log" 2>&1
    count marks "$MARKS" $?
    cat "$OUT/marks/marks.md"
fi
echo "$passed passed, $failed failed, $skipped skipped; logs in $OUT"
[ "$failed" -eq 0 ]
