#!/bin/sh
# SPDX-License-Identifier: LGPL-3.0-or-later
# Runs the batch operations of lib/job/ops.def on few short numbers under Oclgrind, a simulator that
# finds wrong accesses, races and uses of uninitialised memory in OpenCL kernels. Compares results with
# GMP's, for the kernels for CPUs and for those for GPUs. Takes an hour, so `make check` leaves it out.
# Usage: [abs_top_builddir=BUILD_DIR] tests/opencl/oclgrind_batches.sh [OPERATION...]
#   OPERATION   only these operations, such as batch_mul
# Needs oclgrind, a C compiler, the OpenCL headers, and tests/unit/job/test_jobs in BUILD_DIR
# (`make tests/unit/job/test_jobs`). Exit status 77: one of them is missing.
. "$(dirname "$0")/../support/common.sh"
. "$srcdir/tests/opencl/other.sh"
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
export OCLGRIND_DRIVER OCLGRIND_BUILD_OPTIONS=-O0 OCLGRIND_DATA_RACES=1 OCLGRIND_UNINITIALIZED=1 \
    OCLGRIND_NUM_THREADS=1 OCLGRIND_GLOBAL_MEM_SIZE=1073741824 OCLGRIND_MAX_ERRORS=20 \
    XDG_CACHE_HOME="$work/cache" MPGPU_TEST_BACKENDS=opencl MPGPU_TEST_REQUIRE_DEVICE=opencl MPGPU_TEST_SIMULATED=1

[ $# -gt 0 ] || set -- ''
for operation; do
    log=$work/oclgrind${operation:+-$operation}.log
    : >"$log"
    status=0
    MPGPU_TEST_OPERATION=$operation OCLGRIND_LOG="$log" "$builddir/tests/unit/job/test_jobs" || status=$?
    [ ! -s "$log" ] || fail "$(head -n 40 "$log")"
    [ $status -eq 0 ] || fail "test_jobs: exit status $status"
done
echo "passed: no race, no wrong access, no uninitialised memory"
