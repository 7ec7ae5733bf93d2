#!/bin/sh
# SPDX-License-Identifier: LGPL-3.0-or-later
# Reads from the files of the library and the tools whether they are hardened with the compiler
# flags that configure has found.
. "$(dirname "$0")/../support/common.sh"
need_command "${READELF:=readelf}"
[ -n "${HARDENING-}" ] || skip "not in a build tree: which flags were used is unknown"

# Returns true if configure found that the compiler accepts flag $1.
asked() {
    case " $HARDENING " in
    *" $1 "*) return 0 ;;
    esac
    echo "skipped: $1: this compiler does not take it"
    return 1
}

# readelf's output for file $1 must have a line that matches $2.
expect() {
    "$READELF" -hldsnW "$1" >"$work/out" 2>/dev/null || fail "$READELF $1"
    grep -Eq -- "$2" "$work/out" || fail "$1: no '$2'"
}

check() {
    expect "$1" 'GNU_STACK +0x[0-9a-f]+ 0x[0-9a-f]+ 0x[0-9a-f]+ 0x[0-9a-f]+ 0x[0-9a-f]+ RW '
    ! asked -Wl,-z,relro || expect "$1" 'GNU_RELRO'
    ! asked -Wl,-z,now || expect "$1" 'FLAGS.*NOW'
    ! asked -fstack-protector-strong || expect "$1" '__stack_chk_fail'
    ! grep -Eq 'RPATH|RUNPATH|TEXTREL' "$work/out" || fail "$1: $(grep -E 'RPATH|RUNPATH|TEXTREL' "$work/out")"
    echo "$1: hardened"
}

for file in "$library" "$builddir/tools/mpgpu-info" "$builddir/tools/mpgpu-bench"; do
    check "$file"
    expect "$file" 'Type: +DYN'
done
# _FORTIFY_SOURCE has an effect only if the compiler optimises.
case " $HARDENING " in
*" -O0 "* | *-fsanitize=* | *_FORTIFY_SOURCE=0*) echo "skipped: _FORTIFY_SOURCE: CFLAGS are against it" ;;
*) ! asked -D_FORTIFY_SOURCE=2 || expect "$library" '__v?snprintf_chk' ;;
esac
# Tests for SHSTK (shadow stacks) in an object file: the linker marks the library with it only if
# libc's own objects are marked, too.
object=$(find "$builddir/compat" -path "*.libs/*" -name "*mpn.o" 2>/dev/null | head -n 1)
if [ "$(uname -m)" = x86_64 ] && [ -n "$object" ] && asked -fcf-protection=return; then
    expect "$object" 'x86 feature: .*SHSTK'
fi
