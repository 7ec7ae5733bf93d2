#!/bin/sh
# SPDX-License-Identifier: LGPL-3.0-or-later
# stand-in.sh FOLDER LIBRARY CC [FLAG]...: makes the stand-in for libgmp.so.10 in FOLDER.  It
# defines nothing: it needs LIBRARY (libmpgpu-gmp.so), then the real libgmp under the name
# libmpgpu-gmp-behind.so.  A symbol that is searched in it is found in the first of the two that
# defines it.  That name is a link.  The link in FOLDER points to the libgmp that the compiler
# finds; mpgpu-replace creates other links.  libc is last.  Beside FOLDER, an empty library of that
# name is for packages that must contain all libraries which their files need (python/setup.py).
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
