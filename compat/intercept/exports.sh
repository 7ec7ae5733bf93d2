#!/bin/sh
# SPDX-License-Identifier: LGPL-3.0-or-later
# Prints the names that libmpgpu-gmp.so exports, sorted, one per line: functions of GMP
# (lib/gmp/functions.def), of include/mpgpu.h, of FLINT (compat/flint/flint_*.c) and of libc
# (compat/libc/, lib/process/atexit_guard.c).
# With --map, prints the linker's version script.  A function of mpgpu.h has the symbol version of
# its first release: MPGPU_0.1, or MPGPU_0.2 if its declaration's last line has "since 0.2".  All
# other functions have no version, so that references to exit@GLIBC_2.2.5 or to GMP's mpz_mul are
# bound to them (doc/abi.md).
# Usage: exports.sh SOURCE_DIR [--map | --versions]
#   --versions  prints "NAME VERSION" for each function of mpgpu.h
set -eu
LC_ALL=C # ranges such as [a-z] and the order of lines depend on the locale
export LC_ALL

versions() {
    awk '/^[a-z][a-z_ ]*[ *]mpgpu_[a-z0-9_]*\(/ {
        name = $0
        sub(/\(.*/, "", name)
        sub(/.*[ *]/, "", name)
    }
    name && /;/ {
        since = "0.1"
        if (match($0, /since [0-9]+\.[0-9]+/)) since = substr($0, RSTART + 6, RLENGTH - 6)
        print name, since
        name = ""
    }' "$1/include/mpgpu.h" | sort
}

# Prints the linker's version script: a node for each version of mpgpu.h, which inherits from the
# node of the version before.  The names after "local:" are section symbols that some linkers would
# export; "local: *" would hide all functions without a version.
map() {
    versions "$1" | sort -k2,2V -k1,1 | awk '
    $2 != version {
        if (version) print "}" before ";"
        if (version) before = " MPGPU_" version
        version = $2
        print "MPGPU_" version " { global:"
    }
    { print "    " $1 ";" }
    END { print "    local: __start_*; __stop_*; __bss_start; _edata; _end;\n}" before ";" }'
}

names() {
    sed -n 's/^FUNCTION( *\([A-Za-z0-9_]*\) *[,)].*/\1/p' "$1/lib/gmp/functions.def"
    printf '%s\n' _Fork __asan_default_options __cxa_atexit __tsan_default_suppressions clone exit \
        prctl sigaction
    sed -n 's/^flint_[a-z_]*_function \(.*\);$/\1/p' "$1"/compat/flint/flint_*.c | tr -d ' ' | tr , '\n'
    versions "$1" | sed 's/ .*//'
}

case ${2-} in
--map) map "$1" ;;
--versions) versions "$1" ;;
*) names "$1" | sort -u ;;
esac
