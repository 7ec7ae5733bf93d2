# SPDX-License-Identifier: LGPL-3.0-or-later
# Functions for tests with another OpenCL driver; source this file after tests/support/common.sh.
# shellcheck shell=sh disable=SC2154 # common.sh sets work and builddir

# Makes the OpenCL loader find only the driver $1, with a new options file and without other
# drivers' caches.
use_driver() {
    mkdir -p "$work/vendors" "$work/mpgpu-gmp"
    echo "$1" >"$work/vendors/other.icd"
    cp "$builddir/tests/home/mpgpu-gmp/mpgpu.conf" "$work/mpgpu-gmp"
    export OCL_ICD_VENDORS="$work/vendors" OPENCL_VENDOR_PATH="$work/vendors" XDG_CONFIG_HOME="$work"
}

# Checks that the device opens with all its self-tests, and that the line which names it matches $1.
opens() {
    MPGPU_CONF="backend:opencl,cache:$work/cache" timeout 900 "$builddir/tools/mpgpu-info" --build \
        >"$work/out" 2>"$work/err" || fail "$(cat "$work/out" "$work/err")"
    grep -q "^device: opencl: .*$1" "$work/out" || fail "no $1: $(cat "$work/out" "$work/err")"
    cat "$work/out"
}

# Prints the path of Oclgrind's driver; prints nothing if Oclgrind is not installed.
oclgrind_driver() {
    for place in /usr/lib/oclgrind /usr/lib/*/oclgrind /usr/local/lib; do
        [ ! -e "$place/liboclgrind-rt-icd.so" ] || echo "$place/liboclgrind-rt-icd.so"
    done | head -n 1
}
