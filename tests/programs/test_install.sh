#!/bin/sh
# SPDX-License-Identifier: LGPL-3.0-or-later
# Tests the installed package: a program linked by pkg-config, the installed launcher, and the
# public header.  Tests that the tarball is complete.
. "$(dirname "$0")/../support/common.sh"
need_command pkg-config
[ -f "$builddir/Makefile" ] || skip "no build tree here"

# The tarball must have each file of the repository.
if tracked=$(git -C "$srcdir" ls-files 2>/dev/null) && [ -n "$tracked" ]; then
    echo "include Makefile
list: ; \$(foreach f,\$(DISTFILES),\$(info \$(patsubst \$(srcdir)/%,%,\$f)))@:" >"$work/list.mk"
    env -u MAKEFLAGS -u MFLAGS make -s -C "$builddir" -f "$work/list.mk" list >"$work/listed" 2>"$work/log" ||
        fail "DISTFILES: $(tail "$work/log")"
    # a folder stands for its files
    left=$(echo "$tracked" | awk 'NR == FNR { listed[$0]; next }
        $0 != ".gitignore" { for (at = $0; !(at in listed) && sub("/[^/]*$", "", at);); if (!(at in listed)) print }' "$work/listed" -)
    [ -z "$left" ] || fail "the tarball lacks $left"
fi

root=$work/root
env -u MAKEFLAGS -u MFLAGS make -C "$builddir" DESTDIR="$root" install >"$work/log" 2>&1 ||
    fail "make install: $(tail "$work/log")"

# Runs pkg-config with the staged installation folder in front of the .pc file's folders.
pc=$(find "$root" -name mpgpu-gmp.pc)
[ -n "$pc" ] || fail "no mpgpu-gmp.pc is installed"
package() {
    PKG_CONFIG_PATH=$(dirname "$pc") PKG_CONFIG_SYSROOT_DIR=$root pkg-config "$@" mpgpu-gmp
}
libdir=$root$(PKG_CONFIG_PATH=$(dirname "$pc") pkg-config --variable=libdir mpgpu-gmp)
[ -f "$libdir/libmpgpu-gmp.so.0" ] || fail "no library in $libdir"

# A build with OpenCL must contain the kernels' source texts in one installed file only.
if grep -q WITH_OPENCL "$builddir/config.h" && ! grep -q '#undef WITH_OPENCL' "$builddir/config.h"; then
    with_kernels=$(grep -rl '^#line 1 "kernels/common/platform.h"' "$root" | wc -l)
    [ "$with_kernels" -eq 1 ] || fail "the kernels are in $with_kernels files"
fi

# The library that programs load must have no kernels, and be small.
cp "$libdir/libmpgpu-gmp.so.0" "$work/stripped" && "${STRIP:-strip}" "$work/stripped"
[ "$(wc -c <"$work/stripped")" -le 1500000 ] || fail "the library has $(wc -c <"$work/stripped") bytes"

# Each function of mpgpu.h must have a manual page under its own name.
man=$(dirname "$(dirname "$(find "$root" -name mpgpu-batch.3)")")
sed -n 's/^[a-z][a-z_ ]*[ *]\(mpgpu_[a-z0-9_]*\)(.*/\1/p' "$srcdir/include/mpgpu.h" | while read -r name; do
    grep -q "^\.SH NAME" "$man/man3/$name.3" || fail "no manual page $name(3)"
done
if command -v man >/dev/null 2>&1 && ! grep -q 'been minimized' "$(command -v man)"; then
    MANPATH=$man MANPAGER=cat man mpgpu_batch_mod_pow >"$work/page" || fail "man mpgpu_batch_mod_pow"
    grep -q 'computes u\[i\]^e\[i\]' "$work/page" || fail "man mpgpu_batch_mod_pow shows another page"
fi

cat >"$work/user.c" <<'TEXT'
#include <gmp.h>
#include <mpgpu.h>
#include <stdio.h>
int main(void) {
    printf("%s %d %lu\n", mpgpu_version(), mpgpu_wait(), mpgpu_sent());
    if (mpgpu_version_number() != MPGPU_VERSION_NUMBER)
        return 1;
    return 0;
}
TEXT
# shellcheck disable=SC2046 # lists of flags
${CC:=cc} -o "$work/user" "$work/user.c" $(package --cflags --libs) || fail "the header's user"
version=$(MPGPU_CONF=backend:none LD_LIBRARY_PATH=$libdir "$work/user")
[ "$version" = "$(package --modversion) 0 0" ] || fail "mpgpu.h says '$version'"

# The unchanged example must work if it is linked with the library instead of preloading it.
# shellcheck disable=SC2046
$CC -O2 -o "$work/pi" "$srcdir/examples/pi.c" $(package --cflags --libs) || fail "relinking"
"$builddir/examples/pi" 50000 >"$work/gmp"
MPGPU_CONF=open:wait,mul:500,sqr:500,stats:text LD_LIBRARY_PATH=$libdir \
    "$work/pi" 50000 >"$work/relinked" 2>"$work/stats"
cat "$work/stats"
same "$work/gmp" "$work/relinked"
grep -q 'mpz_mul ' "$work/stats" || fail "the relinked program does not come through the library"

# The installed launcher must find the library in the installed tree.
installed=$(find "$root" -name mpgpu-run -type f)
if [ -f "$(dirname "$installed")/../lib/libmpgpu-gmp.so.0" ]; then
    "$installed" --backend none --threshold 500 --stats "$builddir/examples/pi" 50000 \
        >"$work/launched" 2>"$work/stats"
    same "$work/gmp" "$work/launched"
    grep -q 'mpz_mul ' "$work/stats" || fail "the installed mpgpu-run does not preload"
    # With --replace, the dynamic linker must find the installed stand-in for libgmp first, and
    # after it the libgmp that it would find without --replace.
    "$installed" --replace --conf log:0 sh -c 'echo "$LD_LIBRARY_PATH"' >"$work/replaced" 2>"$work/err" ||
        fail "--replace: status $?"
    [ ! -s "$work/err" ] || fail "--replace: $(cat "$work/err")"
    replace=$(tr : '\n' <"$work/replaced" | grep -x ".*/mpgpu-gmp/replace" || true)
    [ -f "$replace/libgmp.so.10" ] || fail "no stand-in in $(cat "$work/replaced")"
    "$builddir/tests/process/handles" libgmp.so.10 100000 data >"$work/gmp"
    "$installed" --replace --backend none --threshold 500 --stats "$builddir/tests/process/handles" \
        libgmp.so.10 100000 data >"$work/launched" 2>"$work/stats" || fail "--replace: $(cat "$work/stats")"
    same "$work/gmp" "$work/launched"
    grep -q 'mpz_tdiv_qr ' "$work/stats" || fail "the installed stand-in does not come through the library"
else
    echo "skipped: the installed mpgpu-run: the library's folder is not ../lib beside it"
fi

env -u MAKEFLAGS -u MFLAGS make -C "$builddir" DESTDIR="$root" uninstall >"$work/log" 2>&1 ||
    fail "make uninstall: $(tail "$work/log")"
left=$(find "$root" ! -type d -o -name mpgpu-gmp)
[ -z "$left" ] || fail "make uninstall leaves $left"
