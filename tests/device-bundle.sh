#!/bin/sh
# SPDX-License-Identifier: LGPL-3.0-or-later
# Fill a folder with all that tests/device.sh needs on a machine that has a GPU
# but no compiler, Check or PARI/GP.  `make device-bundle` calls it in the build
# tree: device-bundle.sh SOURCE_DIR BUNDLE_DIR STRIP PROGRAM...
set -eu
source=$1
bundle=$2
strip=$3
shift 3

rm -rf "$bundle"
mkdir -p "$bundle/.libs" "$bundle/lib" "$bundle/libgmp-debian" "$bundle/compat" \
    "$bundle/tests/integration/.libs"
for program; do
    mkdir -p "$bundle/$(dirname "$program")"
    cp "$program" "$bundle/$program"
    "$strip" "$bundle/$program"
done
cp .libs/libmpgpu-gmp.so.0 "$bundle/.libs/"
"$strip" --strip-unneeded "$bundle/.libs/libmpgpu-gmp.so.0"
cp tests/integration/.libs/*.so "$bundle/tests/integration/.libs/"
cp tools/mpgpu-run "$bundle/tools/"
cp "$source"/tests/device.sh "$bundle/tests/"
cp "$source"/tests/integration/*.sh "$bundle/tests/integration/"
mkdir -p "$bundle/tests/sanitize" "$bundle/kernels"
cp "$source"/tests/sanitize/kernels.sh "$bundle/tests/sanitize/"
cp "$source"/kernels/programs.def "$bundle/kernels/"
cp -r "$source"/tests/fuzz/corpus "$bundle/tests/fuzz/"
cp "$source"/compat/exports.sh "$source"/compat/functions.def "$bundle/compat/"
cp "$source"/lib/mpgpu.h "$bundle/lib/"

# Copy the libraries of program $1 that match the pattern $2 into $3.
copy_libraries() {
    ldd "$1" | awk '$2 == "=>" { print $3 }' | grep -E "$2" | while read -r library; do
        cp -L "$library" "$3/"
    done
}
for program; do
    copy_libraries "$program" 'lib(check|subunit)\.' "$bundle/lib"
done
copy_libraries "$1" 'libgmp\.' "$bundle/libgmp-debian"
if gp=$(command -v gp); then
    mkdir "$bundle/gp"
    cp -L "$gp" "$bundle/gp/gp"
    copy_libraries "$gp" 'lib(pari|readline|tinfo|X11|xcb|Xau|Xdmcp|bsd|md)' "$bundle/gp"
fi
du -sh "$bundle"
