#!/bin/sh
# SPDX-License-Identifier: LGPL-3.0-or-later
# Print the names that libmpgpu-gmp.so exports, one a line, sorted: those of
# compat/functions.def, those that lib/mpgpu.h declares, exit (compat/exit.c), sigaction
# (compat/handlers.c) and __cxa_atexit (lib/takedown.c).
# Usage: exports.sh SOURCE_DIR
set -eu
{
    sed -n 's/^FUNCTION( *\([A-Za-z0-9_]*\) *[,)].*/\1/p' "$1/compat/functions.def"
    printf '%s\n' __cxa_atexit exit sigaction
    sed -n 's/^[a-z][a-z_ ]*[ *]\(mpgpu_[a-z0-9_]*\)(.*/\1/p' "$1/lib/mpgpu.h"
} | LC_ALL=C sort -u
