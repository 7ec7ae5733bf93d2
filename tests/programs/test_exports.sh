#!/bin/sh
# SPDX-License-Identifier: LGPL-3.0-or-later
# The library exports what lib/gmp/functions.def and include/mpgpu.h name, no more.
. "$(dirname "$0")/../support/common.sh"
need_command "${NM:=nm}"
sh "$srcdir/compat/intercept/exports.sh" "$srcdir" >"$work/expected"
[ "$(wc -l <"$work/expected")" -ge 30 ] || fail "compat/intercept/exports.sh finds too few names"
"$NM" -D --defined-only "$library" | awk '{ print $NF }' | LC_ALL=C sort >"$work/exported"
diff -u "$work/expected" "$work/exported" || fail "the exported names differ from the lists"
sed "s/^/exported: /" "$work/exported"

# Debian's list has those of mpgpu.h; a device bundle is without it.
symbols=$srcdir/debian/libmpgpu-gmp0.symbols
if [ -f "$symbols" ]; then
    sed -n 's/^ \(mpgpu_[a-z0-9_]*\)@.*/\1/p' "$symbols" | LC_ALL=C sort >"$work/listed"
    grep '^mpgpu_' "$work/expected" | diff -u - "$work/listed" || fail "$symbols has other functions"
fi

# The library opens libgmp by its name and is not linked with it, so no tool finds that dependency.
control=$srcdir/debian/control
if [ -f "$control" ]; then
    sed -n '/^Package: libmpgpu-gmp0$/,/^$/p' "$control" | grep -q '^Depends:.*libgmp10' ||
        fail "$control: libmpgpu-gmp0 does not depend on libgmp10"
fi

# doc/functions.md has each of them; a device bundle is without it.
doc=$srcdir/doc/functions.md
if [ -f "$doc" ]; then
    sed -n '/printf$\|scanf$/s/^__//p; s/^__g\(mp[a-z]*_\)/\1/p' "$work/expected" | while read -r name; do
        grep -q "\`$name\`" "$doc" || fail "doc/functions.md does not tell of $name"
    done
fi

# Every function of mpgpu.h has a row in the test of NULL arguments, unless it takes no argument.
null=$srcdir/tests/unit/compat/test_null.c
if [ -f "$null" ]; then
    grep '^mpgpu_' "$work/expected" | grep -vxE 'mpgpu_(version|version_number|wait|sent|error|queue_create)' | while read -r name; do
        grep -q "[( ]$name(" "$null" || fail "$null does not call $name"
    done
fi
