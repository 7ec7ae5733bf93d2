# SPDX-License-Identifier: LGPL-3.0-or-later
# shellcheck shell=sh disable=SC2154 # common.sh sets work and builddir
# For tests of another OpenCL: sourced behind tests/support/common.sh.

# Let the loader find nothing but the driver $1, and nothing be left of other drivers' caches.
use_driver() {
    mkdir -p "$work/vendors" "$work/mpgpu-gmp"
    echo "$1" >"$work/vendors/other.icd"
    cp "$builddir/tests/home/mpgpu-gmp/mpgpu.conf" "$work/mpgpu-gmp"
    export OCL_ICD_VENDORS="$work/vendors" OPENCL_VENDOR_PATH="$work/vendors" XDG_CONFIG_HOME="$work"
}

# The device opens with all its self-tests; its line has to match $1.
opens() {
    MPGPU_CONF="backend:opencl,cache:$work/cache" timeout 900 "$builddir/tools/mpgpu-info" --build \
        >"$work/out" 2>"$work/err" || fail "$(cat "$work/out" "$work/err")"
    grep -q "^device: opencl: .*$1" "$work/out" || fail "no $1: $(cat "$work/out" "$work/err")"
    cat "$work/out"
}
