#!/bin/sh
# SPDX-License-Identifier: LGPL-3.0-or-later
# Compiles each kernel file by nvcc for the lowest target that nvcc supports, whatever targets make
# builds for. Only the first program of each file is compiled, without optimisation, which takes a
# tenth of the time.
. "$(dirname "$0")/../support/common.sh"
[ -f "$srcdir/kernels/programs.sh" ] || skip 'no kernels/programs.sh in this package'
grep -q '^#define WITH_CUDA 1' "$builddir/config.h" || skip 'a build without CUDA'
nvcc=$(sed -n 's/^NVCC = //p' "$builddir/Makefile")
lowest=$("$nvcc" --list-gpu-arch | sed -n 's/^compute_\([0-9]*\)$/\1/p' | sort -n | awk '$1 >= 70 { print; exit }')
[ -n "$lowest" ] || fail 'nvcc has no target from 7.0 on'

sh "$srcdir/kernels/programs.sh" | sort -s -u -k 2,2 >"$work/programs"
while read -r id file defines; do
    # kernels/compile-fatbin.sh compiles kernels that include matrix_group.h for compute capability
    # 9.0 only
    ! grep -q matrix_group.h "$srcdir/kernels/$file" || continue
    # shellcheck disable=SC2086 # a list of words
    "$nvcc" -x cu -std=c++14 -G -I "$srcdir" $defines -ptx -arch="compute_$lowest" -o "$work/$id.ptx" \
        "$srcdir/kernels/$file" || fail "kernels/$file: compute_$lowest"
done <"$work/programs"
count=$(find "$work" -name "*.ptx" | wc -l)
echo "passed: $count files for compute_$lowest"
