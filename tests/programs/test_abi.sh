#!/bin/sh
# SPDX-License-Identifier: LGPL-3.0-or-later
# Compares the library's ABI with the last release's: each function with its symbol version, and the
# types if libabigail's tools are installed.  Changed copies of the recorded ABI show that the test
# finds differences.
. "$(dirname "$0")/../support/common.sh"
abi=$srcdir/tests/programs/abi
release=$(find "$abi" -name '*.abi' 2>/dev/null | sort -V | tail -n 1)
[ -n "$release" ] || skip "no ABI of a release in this package"
need_command "${NM:=nm}"
version=$(basename "$release" .abi)
sed -n "s/.*<elf-symbol name='\(mpgpu_[a-z0-9_]*\)' version='MPGPU_\([0-9.]*\)'.*/\1 \2/p" "$release" |
    sort >"$work/released"
[ "$(wc -l <"$work/released")" -ge 90 ] || fail "$release has too few functions"
"$NM" -D --defined-only "$library" | sed -n 's/.* \(mpgpu_[a-z0-9_]*\)@@MPGPU_\(.*\)/\1 \2/p' | sort >"$work/exported"

# Prints the functions of list $1 that the library lacks.
lost_of() {
    comm -23 "$1" "$work/exported"
}
[ -z "$(lost_of "$work/released")" ] || fail "functions of $version are lost or have another version: $(lost_of "$work/released")"
{ cat "$work/released" && echo 'mpgpu_zero 0.1'; } >"$work/more"
[ "$(lost_of "$work/more")" = 'mpgpu_zero 0.1' ] || fail 'a lost function is not found'

# A function that the last release lacks must have a symbol version above that release's.
comm -13 "$work/released" "$work/exported" | while read -r name since; do
    newest=$(printf '%s\n' "${version%.*}" "$since" | sort -V | tail -n 1)
    [ "$since" != "${version%.*}" ] && [ "$newest" = "$since" ] ||
        fail "$name is not in $version, but has version $since: add /* since ... */ in mpgpu.h"
done
echo "$(wc -l <"$work/released") functions of $version"

need_command abidiff
"${READELF:=readelf}" -SW "$library" | grep -q '\.debug_info' || skip 'types: the library has no debugging information'
sh "$abi/dump.sh" "$library" "$srcdir/include" >"$work/now.abi" || fail 'abidw'

# Compares the recorded ABI $1 with the library's.  Added functions are permitted.
compare() {
    abidiff --suppressions "$abi/mpgpu.suppr" --no-added-syms "$1" "$work/now.abi" >"$work/differences"
}
compare "$release" || fail "the ABI of $version has changed: $(cat "$work/differences")"

# Each of these changes must be found: the type of a parameter, the size of a structure, a missing
# function.
int=$(sed -n "s/.*<type-decl name='int' .* id='\([0-9a-f]*\)'.*/\1/p" "$release" | head -n 1)
sed "/<function-decl name='mpgpu_modulus_pow'/{n;s/type-id='[0-9a-f]*'/type-id='$int'/}" "$release" >"$work/changed.abi"
! compare "$work/changed.abi" || fail 'a changed parameter is not found'
sed "/<class-decl name='mpgpu_mandelbrot_view'/s/size-in-bits='[0-9]*'/size-in-bits='64'/" "$release" >"$work/changed.abi"
! compare "$work/changed.abi" || fail 'a changed structure is not found'
sed "s/mpgpu_modulus_pow/mpgpu_modulus_pow_2/g" "$release" >"$work/changed.abi"
! compare "$work/changed.abi" || fail 'a lost function is not found by abidiff'
