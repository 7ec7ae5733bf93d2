#!/bin/sh
# SPDX-License-Identifier: LGPL-3.0-or-later
# preload-folder.sh FOLDER LIBRARY PROCESSOR: creates the folder of links that LD_PRELOAD names with
# $PLATFORM in their paths (tools/run/library.c).  For each value that this machine's dynamic linker
# may use for $PLATFORM, a link leads to LIBRARY, a path relative to the link's folder.  For the
# values of the 32-bit dynamic linker, creates an empty library.
set -eu
folder=$1
library=$2
name=$(basename "$library")
case $3 in
# glibc 2.26 to 2.36 may also replace $PLATFORM by haswell or xeon_phi
x86_64) own='x86_64 haswell xeon_phi' other='i386 i486 i586 i686' ;;
*) own=$3 other='' ;;
esac

# put BYTES NUMBER...: prints numbers of BYTES bytes each, in little-endian order.
put() {
    bytes=$1
    shift
    for number; do
        for shift in 0 8 16 24; do
            [ $shift -ge $((8 * bytes)) ] || printf "\\$(printf %03o $((number >> shift & 255)))"
        done
    done
}

# Prints a shared library for the i386 that contains no code and no symbols.
empty_library() {
    strings=$((${#name} + 2)) headers=$((52 + 3 * 32))
    hash=$((headers + 7 * 8))
    symbols=$((hash + 4 * 4))
    text=$((symbols + 16))
    printf '\177ELF'
    put 1 1 1 1 0 0 0 0 0 0 0 0 0 # 32 bits, little-endian
    put 2 3 3                     # ET_DYN, EM_386
    # ELF header: version, entry, program headers, section headers, flags
    put 4 1 0 52 0 0
    put 2 52 32 3 40 0 0
    # program header PT_LOAD: the whole file, writable because ld.so writes to it
    put 4 1 0 0 0 $((text + strings)) $((text + strings)) 6 4096
    put 4 2 $headers $headers $headers 56 56 6 4                 # PT_DYNAMIC
    put 4 0x6474e551 0 0 0 0 0 6 16                              # PT_GNU_STACK: without code
    # dynamic section: DT_HASH, STRTAB, SYMTAB, STRSZ, SYMENT, SONAME
    put 4 4 $hash 5 $text 6 $symbols 10 $strings 11 16 14 1 0 0
    # hash table: one bucket without symbols
    put 4 1 1 0 0
    put 4 0 0 0 0                                                # the symbol 0
    printf '\000%s\000' "$name"
}

rm -rf "$folder"
for platform in $own; do
    mkdir -p "$folder/$platform"
    ln -s "$library" "$folder/$platform/$name"
done
for platform in $other; do
    mkdir -p "$folder/$platform"
    empty_library >"$folder/$platform/$name"
done
