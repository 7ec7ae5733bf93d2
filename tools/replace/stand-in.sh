#!/bin/sh
# SPDX-License-Identifier: LGPL-3.0-or-later
# stand-in.sh FOLDER LIBRARY CC [FLAG]...: creates the stand-in for libgmp.so.10 in FOLDER.
#
# The stand-in defines no functions.  It depends on three libraries, and a symbol is found in the
# first one that defines it.  The first is LIBRARY (libmpgpu-gmp.so), the second the real libgmp,
# the third libc.
#
# The real libgmp has the name libmpgpu-gmp-behind.so there, which is a link.  This script creates
# the link in FOLDER, to the libgmp that the compiler finds.  mpgpu-replace creates such links in
# other folders.
#
# The script also creates an empty library libmpgpu-gmp-behind.so next to FOLDER.  Python wheels
# need this library, because they must contain all libraries that their files depend on
# (python/setup.py).
set -eu
folder=$1
library=$2
shift 2
mkdir -p "$folder"
work=$folder/work.$$
mkdir "$work"
trap 'rm -rf "$work"' EXIT
: >"$work/empty.c"
"$@" -fPIC -shared -nostdlib -Wl,-soname,libmpgpu-gmp-behind.so -o "$work/behind.so" "$work/empty.c"
mv -f "$work/behind.so" "$folder/../libmpgpu-gmp-behind.so"
# shellcheck disable=SC2016 # the dynamic linker's $ORIGIN
"$@" -s -fPIC -shared -nostartfiles -Wl,-soname,libgmp.so.10 \
    -Wl,--enable-new-dtags '-Wl,-rpath,$ORIGIN/../..:$ORIGIN' \
    -o "$work/libgmp.so.10" "$work/empty.c" -Wl,--no-as-needed "$library" "$folder/../libmpgpu-gmp-behind.so"
mv -f "$work/libgmp.so.10" "$folder/libgmp.so.10"
ln -sf libgmp.so.10 "$folder/libgmp.so"
real=$("$@" -print-file-name=libgmp.so.10)
case $real in
/*) ln -sf "$(cd "$(dirname "$real")" && pwd -P)/libgmp.so.10" "$folder/libmpgpu-gmp-behind.so" ;;
esac
