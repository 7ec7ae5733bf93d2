#!/bin/sh
# SPDX-License-Identifier: LGPL-3.0-or-later
# narrow.sh SOURCE_DIR FOLDER: copies the arithmetic headers into FOLDER with the numbers that follow
# from the width of a word replaced: 32 becomes WORD, a literal 1u becomes (u32)1, and so on.
# Nothing else changes.
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
