#!/bin/sh
# SPDX-License-Identifier: LGPL-3.0-or-later
# MPGPU_TEST_THREADS (8) threads compute products and sums of all sizes for MPGPU_TEST_SECONDS (10),
# with verify:full.  No result may be wrong.  In at least one of MPGPU_TEST_TRIES (3) runs, memory
# of host and device must not grow after the first third.  First prints the rates of one thread and
# of all, without judging them, because machines differ too much.  Device memory means the process's
# if the driver reports it, otherwise the whole card's.  The card must then have no other user.
# With MPGPU_TEST_SHARED, the card's memory is ignored.
#
. "$(dirname "$0")/../support/common.sh"
need_opencl_or_cuda
seconds=${MPGPU_TEST_SECONDS:-10}
all=${MPGPU_TEST_THREADS:-8}
program=$builddir/tests/differential/differential
# malloc returns large blocks to the system at once, so that the measured memory is in use.
export GLIBC_TUNABLES=glibc.malloc.mmap_threshold=65536:glibc.malloc.arena_max=8

# Prints the KiB of device memory that process $1 uses, or that all processes use if the driver
# cannot tell them apart; 0 if the driver reports nothing.
device_memory() {
    {
        nvidia-smi --query-compute-apps=pid,used_memory --format=csv,noheader,nounits |
            awk -F ', *' -v pid="$1" '$1 == pid && $2 ~ /^[0-9]+$/ { print $2 }'
        [ -n "${MPGPU_TEST_SHARED-}" ] ||
            nvidia-smi ${CUDA_VISIBLE_DEVICES:+--id="$CUDA_VISIBLE_DEVICES"} --query-gpu=memory.used --format=csv,noheader,nounits | awk '{ sum += $1 } END { print sum }'
    } 2>/dev/null | awk 'NR == 1 { used = $1 * 1024 } END { print used + 0 }'
}

# Prints the KiB of host memory of process $1 and of device memory on one line.  Prints nothing once
# the process has ended.
memory() {
    host=$(awk '/^VmRSS/ { print $2 }' "/proc/$1/status" 2>/dev/null) || true
    [ -z "$host" ] || echo "$host $(device_memory "$1")"
}

# Prints the maximum of column $1 from line $2 to line $3 of the samples.
most() {
    awk -v c="$1" -v from="$2" -v to="$3" 'NR >= from && NR <= to && $c > most { most = $c }
        END { print most + 0 }' "$work/samples"
}

# Returns true if column $1, called $2, grew from the middle third to the last by more than $3 KiB
# and more than an eighth.
grew() {
    lines=$(wc -l <"$work/samples")
    middle=$(most "$1" $((lines / 3 + 1)) $((2 * lines / 3)))
    last=$(most "$1" $((2 * lines / 3 + 1)) "$lines")
    echo "$2: $middle KiB in the middle third, $last in the last"
    [ "$last" -gt 0 ] || echo "$2: not known, so not judged"
    [ "$last" -gt $((middle + middle / 8 + $3)) ]
}

# Samples the memory of process $1 into $work/samples until it ends.  Prints every hundredth sample.
watch() {
    : >"$work/samples"
    while sample=$(memory "$1") && [ -n "$sample" ]; do
        echo "$sample" >>"$work/samples"
        [ $(($(wc -l <"$work/samples") % ${MPGPU_TEST_SAY:-100})) -ne 0 ] || echo "KiB on host and device: $sample"
        sleep "${MPGPU_TEST_INTERVAL:-0.25}"
    done
}

# Runs all threads on backend $1, with random numbers from seed $2.
work_all() {
    MPGPU_CONF=verify:full LD_PRELOAD=$library "$program" --backend "$1" --threads "$all" --seed "$2" \
        --seconds "$seconds" --again $((2 * seconds)) --max-limbs 100000 --function "${functions%,}" >"$work/$1" 2>&1 &
    pid=$!
    watch $pid
    status=0
    wait $pid || status=$?
    cat "$work/$1"
    [ $status -eq 0 ] || fail "$1: exit status $status"
    [ "$(wc -l <"$work/samples")" -ge 6 ] || fail "too few samples of the memory"
}

# Memory must not grow in at least one of several runs with the same operations.  An OpenCL compiler
# allocates memory when a size occurs for the first time, perhaps late in a run.  The next run finds
# that kernel in the cache.
flat() {
    seed=$(date +%s)
    for try in $(seq "${MPGPU_TEST_TRIES:-3}"); do
        work_all "$1" "$seed"
        grown=
        grew 1 "host memory" 16384 && grown="host memory"
        grew 2 "device memory" 16384 && grown="$grown device memory"
        [ -n "$grown" ] || return 0
    done
    fail "$1: grew in $try runs of one seed: $grown"
}

# Omits functions of mpq, which spend their time in GMP's gcd.
functions=$("$program" --list | grep -E '^mp[nzf]_((add|sub)*mul|sqr($|lo|mod)|add|sub|ui_sub)' | sort -u | tr '\n' ',')
echo "functions: $functions"
for backend in $(backends); do
    for threads in 1 "$all"; do
        echo "$threads threads:"
        LD_PRELOAD=$library "$program" --backend "$backend" --threads "$threads" --seconds 2 \
            --function mpz_mul --max-limbs 5000 --min-limbs 2000 || fail "exit status $?"
    done
    flat "$backend"
done
