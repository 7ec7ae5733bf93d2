#!/bin/sh
# SPDX-License-Identifier: LGPL-3.0-or-later
# clang emits what gcc emits: each source of compat/ defines the same functions of GMP.  gmp.h has some
# of them as inline functions, of which the compilers think differently.
. "$(dirname "$0")/../support/common.sh"
need_command clang
need_command "${NM:=nm}"
[ -f "$srcdir/compat/intercept/exports.sh" ] || skip 'no sources'
cd "$builddir"
compile() {
    find "$srcdir/compat" -name '*.c' | while read -r source; do
        name=$(echo "${source#"$srcdir/"}" | tr / _)
        "$1" -std=gnu11 -O0 -fPIC -fvisibility=hidden -w -DHAVE_CONFIG_H -I. -I"$srcdir" -I"$srcdir/include" \
            -c -o "$work/$name.o" "$source" || exit 1
        "$NM" --defined-only -g "$work/$name.o" | awk '$2 == "T" && $3 ~ /^_*(gmp|mpgpu_|gmp_)/ { print $3 }'
        rm "$work/$name.o"
    done | LC_ALL=C sort >"$work/$2"
}
compile clang by_clang
sh "$srcdir/compat/intercept/exports.sh" "$srcdir" | grep '^__gmp' >"$work/expected"
while read -r name; do
    grep -qx "$name" "$work/by_clang" || fail "clang does not emit $name"
done <"$work/expected"
echo "$(wc -l <"$work/expected") functions"
