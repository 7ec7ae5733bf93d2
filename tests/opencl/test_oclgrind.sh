#!/bin/sh
# SPDX-License-Identifier: LGPL-3.0-or-later
# Runs tests under Oclgrind, a simulator that finds wrong accesses and races in OpenCL kernels: the
# tests of the device interface, and those self-tests whose kernels it runs in at most a minute.
# Kernels are built with -O0, because Oclgrind lacks the intrinsics that optimising compilers use.
. "$(dirname "$0")/../support/common.sh"
. "$srcdir/tests/opencl/other.sh"
driver=$(oclgrind_driver)
[ -n "$driver" ] || skip 'oclgrind is not installed'
use_driver "$driver"
export OCLGRIND_BUILD_OPTIONS=-O0 OCLGRIND_LOG="$work/oclgrind.log" OCLGRIND_DATA_RACES=1
: >"$work/oclgrind.log"

MPGPU_TEST_BACKENDS=opencl timeout 300 "$builddir/tests/unit/gpu/test_gpu" >"$work/out" 2>&1 ||
    fail "test_gpu: $(cat "$work/out")"
MPGPU_CONF="backend:opencl,cache:$work/cache" timeout 900 "$builddir/tools/mpgpu-info" >"$work/out" 2>"$work/err" ||
    fail "$(cat "$work/err")"
grep -q '^device in use$' "$work/out" || fail "self-tests: $(cat "$work/out" "$work/err")"
grep -q 'opencl: Oclgrind' "$work/out" || fail "another device: $(cat "$work/out")"
[ ! -s "$work/oclgrind.log" ] || fail "$(head -n 20 "$work/oclgrind.log")"
