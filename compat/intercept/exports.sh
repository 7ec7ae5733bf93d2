#!/bin/sh
# SPDX-License-Identifier: LGPL-3.0-or-later
# Print the names that libmpgpu-gmp.so exports, one a line, sorted: those of
# lib/gmp/functions.def, those that include/mpgpu.h declares, FLINT's (compat/flint/flint_mul.c),
# exit, sigaction and those that sanitizers call (compat/libc/) and __cxa_atexit (lib/process/atexit_guard.c).
# Usage: exports.sh SOURCE_DIR
set -eu
{
    sed -n 's/^FUNCTION( *\([A-Za-z0-9_]*\) *[,)].*/\1/p' "$1/lib/gmp/functions.def"
    printf '%s\n' __asan_default_options __cxa_atexit __tsan_default_suppressions exit \
        sigaction
    sed -n 's/^flint_[a-z_]*_function \(.*\);$/\1/p' "$1/compat/flint/flint_mul.c" | tr -d ' ' | tr , '\n'
    sed -n 's/^[a-z][a-z_ ]*[ *]\(mpgpu_[a-z0-9_]*\)(.*/\1/p' "$1/include/mpgpu.h"
} | LC_ALL=C sort -u
