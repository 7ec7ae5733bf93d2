#!/bin/sh
# SPDX-License-Identifier: LGPL-3.0-or-later
# Runs every kernel of the device code under a tool of NVIDIA's compute-sanitizer: products by each
# length of transform and some calls of every function, all compared with GMP's.
# Usage: kernels.sh BUNDLE_DIR TOOL [BACKEND]
#   TOOL     memcheck, racecheck, initcheck, synccheck; none: no tool, to try this script
#   BACKEND  cuda, which is the default, or opencl
# Environment: JOBS (1) is the number of cases at a time.
set -u
bundle=$(cd "$1" && pwd)
tool=$2
backend=${3:-cuda}

[ "$tool" = none ] || command -v compute-sanitizer >/dev/null 2>&1 || {
    echo 'skipped: compute-sanitizer is not installed'
    exit 77
}

# Runs one case; its output goes to a file in $log. Arguments: the value of MPGPU_CONF and options
# of `differential`; or "unit", a unit test's name and perhaps one of its functions.
# --target-processes all is needed because `env` starts the program.
run_case() {
    case_log=$(mktemp "$log/XXXXXX")
    echo "case $*" >"$case_log"
    conf=$1
    shift
    if [ "$conf" = unit ]; then
        set -- env MPGPU_TEST_LOG=3 MPGPU_TEST_BACKENDS="$backend" MPGPU_TEST_PRODUCTS=5 \
            ${2:+MPGPU_TEST_ONLY="$2"} "$bundle"/tests/unit/*/"$1"
    else
        set -- env MPGPU_CONF="$conf" LD_PRELOAD="$bundle/.libs/libmpgpu-gmp.so.0" \
            "$bundle/tests/differential/differential" --backend "$backend" --seed 1 "$@"
    fi
    [ "$tool" = none ] ||
        set -- compute-sanitizer --tool "$tool" --target-processes all --error-exitcode 9 "$@"
    "$@" </dev/null >>"$case_log" 2>&1
    status=$?
    [ $status -eq 0 ] || echo "kernels.sh: $tool: exit status $status" >>"$case_log"
    cat "$case_log"
    exit $status
}

# Prints the cases. They cover: every function; long sums and products that several work-groups
# compute; products modulo B^n - 1 and B^n + 1 whose transforms wrap; products by ssa and fft;
# products in parts when memory is short; small products in one work-group; each length of
# transform.
cases() {
    echo log:3 --count 100 --max-limbs 300
    echo unit test_batch
    for test in many_numbers tiles transforms; do
        echo unit test_jobs $test
    done
    echo unit test_digits # runs the kernels for numbers that stay on the device
    echo log:3 --count 2 --function mpz_add --min-limbs 60000 --max-limbs 70000
    echo log:3 --count 4 --function mpn_mul --min-limbs 40000 --max-limbs 50000
    echo log:3 --count 6 --function mpn_mulmod_bnm1,mpn_mul_fft --min-limbs 32668 --max-limbs 32668
    echo log:3,memory:6M --count 1 --function mpn_mul_n --min-limbs 60000 --max-limbs 60000
    echo log:3,memory:26M --count 1 --function mpn_mul_n --min-limbs 600000 --max-limbs 600000
    for log in 8 9 10 11 12 13; do
        limbs=$(((1 << log) / 2 - 3))
        echo log:3 --count 1 --function mpn_mul_n --min-limbs $limbs --max-limbs $limbs
    done
    echo unit test_ssa_digits # runs all shapes of the transforms by ssa
    echo unit test_ssa
    echo unit test_fft_sum
    echo unit test_fft_product
    echo log:3,algorithm:ssa --count 3 --function mpn_mul_n,mpn_sqr --min-limbs 100000 --max-limbs 100000
    echo log:3,algorithm:fft --count 3 --function mpn_mul_n,mpn_sqr --min-limbs 100000 --max-limbs 100000
    for log in 13 14 15 16 17 18 19 20 21 22 23 24 25; do
        for limbs in $(((3 << log) / 8 - 10)) $(((1 << log) / 2 - 10)); do
            echo log:3 --count 1 --function mpn_mul_n --min-limbs $limbs --max-limbs $limbs
        done
        [ $log -gt 23 ] || echo log:3 --count 1 --function mpn_sqr --min-limbs $limbs --max-limbs $limbs
    done
}

# Prints a line "PROGRAM KERNEL" for each kernel of each program. Leaves out middle passes that do
# not exist: a middle pass has 6 or 7 levels of the transform (lib/multiply/ntt_plan.c).
kernels() {
    sh "$bundle/kernels/programs.sh" |
        while read -r program file _; do
            sed -n "/^KERNEL/{n;s/^\([a-z0-9_]*\)(.*/$program \1/p;}" "$bundle/kernels/$file"
        done | grep -v '^strided_\(5\|8\|9\|10\) forward$'
}

if [ "${4-}" = --case ]; then
    shift 4
    run_case "$@"
fi
log=$(mktemp -d)
export log
trap 'rm -rf "$log"' EXIT
cases | xargs -L 1 -P "${JOBS:-1}" sh "$0" "$bundle" "$tool" "$backend" --case || exit 1
kernels >"$log/kernels"
missed=0
while read -r program kernel; do
    grep -q -r ": kernel $kernel of program $program\$" "$log" || {
        echo "kernels.sh: $tool: kernel $kernel of program $program was not used"
        missed=1
    }
done <"$log/kernels"
count=$(wc -l <"$log/kernels")
[ "$count" -gt 0 ] && [ $missed -eq 0 ] || exit 1
echo "kernels.sh: $tool: nothing found; each of $count kernels was used"
