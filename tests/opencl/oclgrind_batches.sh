#!/bin/sh
# SPDX-License-Identifier: LGPL-3.0-or-later
# Runs the batch operations of lib/job/ops.def on few short numbers under Oclgrind, a simulator that
# finds wrong accesses, races and uses of uninitialised memory in OpenCL kernels. Compares results with
# GMP's, for the kernels for CPUs and for those for GPUs. Takes hours, so `make check` leaves it out.
# The kernels for CPUs run without the check of uninitialised memory: Oclgrind 21.10 crashes in that check
# at a vector shuffle with an undefined element, which clang makes from their vectors of 16.
# Prints how each operation ended; then a table of the kernels that ran, with the errors that Oclgrind
# reported in each; then the names of the kernels that no operation launched.
# Usage: [abs_top_builddir=BUILD_DIR] tests/opencl/oclgrind_batches.sh [--seconds N] [--kernels FORM]
#            [OPERATION...]
#   --seconds N      Ends an operation after N seconds (1800).
#   --kernels FORM   Runs only the kernels for CPUs (FORM is cpu) or only those for GPUs (gpu).
#   OPERATION        Runs only these operations, such as batch_mul.
# Needs oclgrind, a C compiler, the OpenCL headers, and tests/unit/job/test_jobs in BUILD_DIR
# (`make tests/unit/job/test_jobs`). Exit status 77: one of them is missing. Exit status 1: an error, a
# wrong result, or an operation that did not end.
. "$(dirname "$0")/../support/common.sh"
. "$srcdir/tests/opencl/other.sh"
seconds=1800
forms='cpu gpu'
while [ $# -gt 1 ]; do
    case $1 in
    --seconds) seconds=$2 ;;
    --kernels) forms=$2 ;;
    *) break ;;
    esac
    shift 2
done
mkdir -p "$builddir/tests/home/mpgpu-gmp"
[ -e "$builddir/tests/home/mpgpu-gmp/mpgpu.conf" ] ||
    printf '%s\n' watchdog:600 server:off >"$builddir/tests/home/mpgpu-gmp/mpgpu.conf"
OCLGRIND_DRIVER=$(oclgrind_driver)
[ -n "$OCLGRIND_DRIVER" ] || skip 'oclgrind is not installed'
need_command "${CC:-cc}"
[ -e /usr/include/CL/cl_icd.h ] || skip 'CL/cl_icd.h (opencl-c-headers) is not installed'
[ -x "$builddir/tests/unit/job/test_jobs" ] || skip "$builddir/tests/unit/job/test_jobs is not built"
${CC:-cc} -Wall -O1 -shared -fPIC -o "$work/driver.so" "$srcdir/tests/opencl/oclgrind_driver.c" -ldl
use_driver "$work/driver.so"
export OCLGRIND_DRIVER OCLGRIND_BUILD_OPTIONS=-O0 OCLGRIND_DATA_RACES=1 OCLGRIND_NUM_THREADS=1 \
    OCLGRIND_GLOBAL_MEM_SIZE=1073741824 OCLGRIND_MAX_ERRORS=100000 OCLGRIND_LOG="$work/oclgrind.log" OCLGRIND_LAUNCHES="$work/launches" \
    XDG_CACHE_HOME="$work/cache" MPGPU_TEST_BACKENDS=opencl MPGPU_TEST_REQUIRE_DEVICE=opencl MPGPU_TEST_SIMULATED=1

# Lists all kernels: program:function, a tab, the function and the options that define the program.
kernels() {
    awk -F '"' '/^PROGRAM/ { split($1, head, /[(,]/); print head[2] "\t" $4 }' "$srcdir/kernels/programs.def" >"$work/programs"
    sed -n 's/^KERNEL_OF(\([^,]*\), *\([^,]*\),.*/\1 \2/p' "$builddir/kernels/kernels.def" |
        awk -v programs="$work/programs" '
            BEGIN { FS = "\t"; while ((getline < programs) > 0) defines[$1] = $2; FS = " " }
            { print $1 ":" $2 "\t" $2 (defines[$1] == "" ? "" : " " defines[$1]) }'
}

# Prints the launches, one a line, like the second column of kernels().
launches() {
    sed 's/ -cl-std=[^ ]*//; s/ -DLOCAL_BYTES=[0-9]*//; s/ -DWIDE_MULTIPLY//; s/ -DON_CPU//; s/  *$//' "$work/launches"
}

# Prints why test_jobs failed; its exit status is $1.
reason() {
    if [ "$1" = 124 ]; then
        echo "not ended in $seconds s: $(grep '^[a-z_]*: .* limbs' "$work/out" | tail -n 1)"
    else
        grep ':[FE]:' "$work/out" | head -n 1 | sed 's/.*:[FE]://' | grep . || echo "exit status $1"
    fi
}

# Runs the operations $2... with the kernels for $1, and prints a line for each. One process runs them
# all, because each process first repeats the self-tests. After a failure the next process begins
# behind the operation that failed. An operation that had less than the full time runs again.
run_operations() {
    form=$1
    shift
    while [ $# -gt 0 ]; do
        status=0 ended=0
        MPGPU_TEST_OPERATION="$*" MPGPU_TEST_FORM=$form timeout "$seconds" "$builddir/tests/unit/job/test_jobs" \
            >"$work/out" 2>&1 || status=$?
        while [ $# -gt 0 ] && grep -q "^$1: passed" "$work/out"; do
            echo "$1 ($form): passed"
            ended=1
            shift
        done
        [ $status -ne 0 ] || [ $# -eq 0 ] || status='0, but it was not run'
        [ "$status" != 0 ] || return 0
        result=1
        if [ $# -eq 0 ]; then
            echo "after the last operation ($form): $(reason "$status")"
        elif [ "$status" != 124 ] || [ $ended -eq 0 ]; then
            echo "$1 ($form): $(reason "$status")"
            shift
        fi
    done
}

# Prints the operations of ops.def that the arguments name, or all of them, in the order of ops.def.
operations() {
    for operation in $(sed -n 's/^BATCH(\([a-z_]*\),.*/\1/p' "$srcdir/lib/job/ops.def"); do
        case " ${*:-$operation} " in *" $operation "*) echo "$operation" ;; esac
    done
}

result=0
: >"$work/launches"
: >"$work/oclgrind.log"
for form in $forms; do
    unset OCLGRIND_UNINITIALIZED
    [ "$form" != gpu ] || export OCLGRIND_UNINITIALIZED=1
    # shellcheck disable=SC2046 # a list of words
    run_operations "$form" $(operations "$@")
done
kernels | LC_ALL=C sort >"$work/kernels"
launches | LC_ALL=C sort | uniq -c | sed 's/^ *\([0-9]*\) /\1\t/' >"$work/counts"
sed -n 's/^\tKernel: *//p' "$work/oclgrind.log" | LC_ALL=C sort | uniq -c >"$work/errors"
echo '| kernel | launches | errors in kernels of this name |'
echo '| --- | --- | --- |'
awk -F '\t' -v counts="$work/counts" -v errors="$work/errors" -v others="$work/others" '
    BEGIN {
        while ((getline < counts) > 0) launches[$2] = $1
        while ((getline line < errors) > 0) { split(line, part, " "); found[part[2]] = part[1] }
        printf "" >others
    }
    $2 in launches { split($2, name, " "); print "| " $1 " | " launches[$2] " | " found[name[1]] + 0 " |"; ran++; next }
    { print $1 >others }
    END { print "kernels that ran: " ran + 0 " of " NR }' "$work/kernels"
echo "not launched by these operations: $(tr '\n' ' ' <"$work/others")"
if [ -s "$work/oclgrind.log" ]; then
    result=1
    head -n 200 "$work/oclgrind.log"
fi
[ $result -eq 0 ] || fail 'see the operations and errors above'
echo "passed: no race, no wrong access; no uninitialised memory in the kernels for GPUs (run: $forms)"
