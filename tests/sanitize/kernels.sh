#!/bin/sh
# SPDX-License-Identifier: LGPL-3.0-or-later
# Every program of the device code under a tool of NVIDIA's compute-sanitizer: products of
# each length of transform, some of every function, all beside GMP's.
# Usage: kernels.sh BUNDLE_DIR TOOL [BACKEND]
#   TOOL     memcheck, racecheck, initcheck, synccheck; none: no tool, to try this script
#   BACKEND  cuda, which is the default, or opencl
set -u
bundle=$(cd "$1" && pwd)
tool=$2
backend=${3:-cuda}

[ "$tool" = none ] || command -v compute-sanitizer >/dev/null 2>&1 || {
    echo 'skipped: compute-sanitizer is not installed'
    exit 77
}

# A command under the tool.  --target-processes: env starts the program.
under_tool() {
    if [ "$tool" = none ]; then
        set -- env "$@"
    else
        set -- compute-sanitizer --tool "$tool" --target-processes all --error-exitcode 9 env "$@"
    fi
    "$@"
}

# What differential is told: operations of every function, a sum and a product in pieces
# that take several work-groups, and a product of each length of transform.
cases() {
    echo --count 100 --max-limbs 300
    echo --count 2 --function mpz_add --min-limbs 60000 --max-limbs 70000
    echo --count 4 --function mpn_mul --min-limbs 40000 --max-limbs 50000
    for log in 13 14 15 16 17 18 19 20 21 22 23; do
        limbs=$(((1 << log) / 2 - 10))
        echo --count 1 --function mpn_mul_n --min-limbs $limbs --max-limbs $limbs
    done
}

log=$(mktemp)
trap 'rm -f "$log"' EXIT
cases | while read -r options; do
    echo "differential $options"
    # shellcheck disable=SC2086 # split on purpose
    under_tool MPGPU_CONF=log:3 LD_PRELOAD="$bundle/.libs/libmpgpu-gmp.so.0" \
        "$bundle/tests/integration/differential" --backend "$backend" --seed 1 $options \
        </dev/null >"$log.case" 2>&1
    status=$?
    cat "$log.case" | tee -a "$log"
    rm "$log.case"
    [ $status -eq 0 ] || {
        echo "kernels.sh: $tool: exit status $status"
        exit $status
    }
done || exit
for program in $(sed -n 's/^PROGRAM(\([a-z0-9_]*\),.*/\1/p' "$bundle/kernels/programs.def"); do
    grep -q "program $program: " "$log" || {
        echo "kernels.sh: $tool: program $program was not used"
        exit 1
    }
done
echo "kernels.sh: $tool: nothing found; every program was used"
