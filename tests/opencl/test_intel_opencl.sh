#!/bin/sh
# SPDX-License-Identifier: LGPL-3.0-or-later
# Tests Intel's OpenCL for CPUs, installed next to PoCL: self-tests, products compared with GMP's, a
# program. The driver is taken from $INTEL_OPENCL/lib, or from intel-opencl/lib in the build tree,
# where .ci/run puts it.
. "$(dirname "$0")/../support/common.sh"
. "$srcdir/tests/opencl/other.sh"
folder=${INTEL_OPENCL:-$builddir/intel-opencl}/lib
[ -e "$folder/libintelocl.so" ] || skip "no Intel OpenCL in $folder"
use_driver "$folder/libintelocl.so"
export LD_LIBRARY_PATH="$folder${LD_LIBRARY_PATH:+:$LD_LIBRARY_PATH}"
opens 'OpenCL .* LINUX'
export MPGPU_CONF="backend:opencl,open:wait,cache:$work/cache,mul:1,sqr:1,stats:text"
LD_PRELOAD=$library timeout 900 "$builddir/tests/differential/differential" --count 300 --max-limbs 3000 \
    2>"$work/err" || fail "$(tail "$work/err")"
[ "$(sent "$work/err")" -gt 100 ] || fail "not sent: $(cat "$work/err")"
"$builddir/examples/pi" 30000 >"$work/gmp"
LD_PRELOAD=$library timeout 900 "$builddir/examples/pi" 30000 >"$work/with" 2>"$work/err"
same "$work/gmp" "$work/with"
grep -q '^mpgpu: device: opencl: .*OpenCL .* LINUX' "$work/err" || fail "another device: $(cat "$work/err")"
