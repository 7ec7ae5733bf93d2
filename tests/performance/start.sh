#!/bin/sh
# SPDX-License-Identifier: LGPL-3.0-or-later
# How much later programs start under preload: one without GMP, one that makes a small product.
# Usage: start.sh BUILD_DIR [REPEATS]
# A line a program: name, the medians without and with the library and their difference in
# microseconds, from the making of the process to its end; then the medians of page faults.
set -eu
here=$(cd "$1" && pwd)/tests/performance
repeats=${2:-300}
for program in start_nothing start_product; do
    printf '%s ' "$program"
    "$here/starts" "$here/../../.libs/libmpgpu-gmp.so.0" "$repeats" "$here/$program"
done
