#!/bin/sh
# SPDX-License-Identifier: LGPL-3.0-or-later
# narrow.sh SOURCE_DIR FOLDER: copies the arithmetic headers into FOLDER. Replaces only the numbers
# that depend on the width of a word: 32 becomes WORD, a literal 1u becomes (u32)1, and so on.
set -eu
cd "$1"
for file in kernels/common/*.h kernels/modular/*.h kernels/check/residue.h; do
    mkdir -p "$2/$(dirname "$file")"
    sed -E '/^#include/b
        s/\b(0x[0-9a-f]+|[0-9]+)u\b/((u32)\1)/g
        s/~\(\(u32\)0\)/((u32)~(u32)0)/g
        s/ \+ ([12])\b/ + (u32)\1/g
        s/>> 5\b/>> LOG_WORD/g
        s/<< 22\b/<< LOG_BEGIN/
        s/\b28\b/DIGIT_WIDTH/g
        s/0xffffffffUL/((u64)(u32)~(u32)0)/g
        s/\b31\b/(WORD - 1)/g
        s/\b32\b/WORD/g
        s/\b63\b/(2 * WORD - 1)/g
        s/\b64\b/(2 * WORD)/g' "$file" >"$2/$file"
done
# Replaces digits of 52 bits by digits of D bits, and double by REAL, a class in
# tests/proofs/enumerate_doubles.c.
for file in common/double_bits.h modular/doubles.h modular/doubles_trace.h modular/power_scratch.h; do
    sed -E 's/asm\("fma\.rz.*/r = fma_rz(a, b, c);/
        s/defined\(__CUDACC__\)/defined(NARROW_CUDA)/
        s/\b0x1p52\b/POWER_D/g
        s/\b0x1\.8p52\b/MIDDLE_D/g
        s/\b0x1\.8p104\b/MIDDLE_2D/g
        s/\b0x1p51\b/POWER_HALF/g
        s/\b0x8000000000000\b/HALF_D/
        s/\b0xfffffffffffff\b/MASK_D/
        s/\b0x4678000000000000\b/BITS_2D/
        s/\b0x4330000000000000\b/BITS_D/
        s/\(u32\)1024\b/(u32)MIDDLE_CARRY/
        s/\(0 - /((u32)0 - /g
        s/<< 12\b/<< (2 * WORD - D)/
        s/\b52\b/D/g
        s/\b20\b/(D - WORD)/g
        s/\bdouble\b/REAL/g' "$2/kernels/$file" >"$2/narrow"
    mv "$2/narrow" "$2/kernels/$file"
done
