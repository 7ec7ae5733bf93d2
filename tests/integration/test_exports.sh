#!/bin/sh
# SPDX-License-Identifier: LGPL-3.0-or-later
# The library exports what compat/functions.def and lib/mpgpu.h name, no more.
. "$(dirname "$0")/common.sh"
need_command "${NM:=nm}"
sh "$srcdir/compat/exports.sh" "$srcdir" >"$work/expected"
[ "$(wc -l <"$work/expected")" -ge 30 ] || fail "compat/exports.sh finds too few names"
"$NM" -D --defined-only "$library" | awk '{ print $NF }' | LC_ALL=C sort >"$work/exported"
diff -u "$work/expected" "$work/exported" || fail "the exported names differ from the lists"
sed "s/^/exported: /" "$work/exported"
