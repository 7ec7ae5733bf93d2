#!/bin/sh
# SPDX-License-Identifier: LGPL-3.0-or-later
# Runs crash.py for MPGPU_TEST_SECONDS (20): programs with random options, while processes are
# killed or stopped, the device is reset, the disk is full and the clock jumps. MPGPU_TEST_SEED is
# the seed.
. "$(dirname "$0")/../support/common.sh"
need_command python3
[ -x "$builddir/tools/mpgpu-serve" ] || skip 'no mpgpu-serve in this build'
backends | grep -qx opencl || skip 'no OpenCL'
[ -e "$builddir/tests/process/.libs/faultycl.so" ] || skip 'no layer of OpenCL (CL/cl_layer.h)'
python3 -B "$srcdir/tests/process/crash.py" "$builddir" --seconds "${MPGPU_TEST_SECONDS:-20}" \
    ${MPGPU_TEST_SEED:+--seed "$MPGPU_TEST_SEED"}
