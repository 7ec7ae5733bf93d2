#!/bin/sh
# SPDX-License-Identifier: LGPL-3.0-or-later
# The library compiled by clang must export the same functions as with gcc. gmp.h has inline
# functions with the names of some exported functions, and clang would also apply the visibility of
# the inline functions to the exported ones.
. "$(dirname "$0")/../support/common.sh"
need_command clang
need_command "${READELF:=readelf}"
[ -f "$srcdir/compat/intercept/exports.sh" ] || skip 'no sources'
cd "$builddir"
# Optimisation is on, because gmp.h has no inline functions without it.
find "$srcdir/compat" -name '*.c' | while read -r source; do
    name=$(echo "${source#"$srcdir/"}" | tr / _)
    clang -std=gnu11 -O1 -fPIC -fvisibility=hidden -w -DHAVE_CONFIG_H -I. -I"$srcdir" -I"$srcdir/include" \
        -c -o "$work/$name.o" "$source" || fail "$source"
    "$READELF" -sW "$work/$name.o" | awk '$4 == "FUNC" && $6 == "DEFAULT" && $7 ~ /^[0-9]+$/ { print $8 }'
    rm "$work/$name.o"
done >"$work/by_clang"
sh "$srcdir/compat/intercept/exports.sh" "$srcdir" | grep '^__gmp' >"$work/expected"
while read -r name; do
    grep -qx "$name" "$work/by_clang" || fail "clang does not export $name"
done <"$work/expected"
echo "$(wc -l <"$work/expected") functions"
