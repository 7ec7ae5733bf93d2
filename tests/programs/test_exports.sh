#!/bin/sh
# SPDX-License-Identifier: LGPL-3.0-or-later
# The library must export exactly the functions that compat/intercept/exports.sh lists. mpgpu.h's
# functions must have the symbol version of their release, the others no version. Programs must find
# both. Packages must name what the library and its build depend on.
. "$(dirname "$0")/../support/common.sh"
need_command "${NM:=nm}"
sh "$srcdir/compat/intercept/exports.sh" "$srcdir" >"$work/expected"
[ "$(wc -l <"$work/expected")" -ge 30 ] || fail "compat/intercept/exports.sh finds too few names"
# Counts only global symbols (capital letters): GNU ld adds a symbol for each version (A), and gold
# lists static thread variables as local (b).
"$NM" -D --defined-only "$library" | awk '$2 ~ /[B-Z]/ { print $NF }' | LC_ALL=C sort >"$work/versioned"
sed 's/@.*//' "$work/versioned" >"$work/exported"
diff -u "$work/expected" "$work/exported" || fail "the exported names differ from the lists"
sed "s/^/exported: /" "$work/versioned"

sh "$srcdir/compat/intercept/exports.sh" "$srcdir" --versions | sed 's/ /@@MPGPU_/' >"$work/expected_versions"
grep @ "$work/versioned" | diff -u "$work/expected_versions" - || fail "symbol versions differ from mpgpu.h"

# Programs must find the library's functions in three ways: by references without a symbol version
# (mpz_mul), by references with one of libc's versions (exit), and by dlsym.  Skipped if the library
# is for another machine, and in device bundles, which run on machines without a compiler.
machine_of() {
    sed -n "s/^$1 = //p" "$builddir/Makefile"
}
if [ -f "$builddir/Makefile" ] && [ "$(machine_of host)" = "$(machine_of build)" ]; then
    cat >"$work/lookups.c" <<'TEXT'
#define _GNU_SOURCE 1
#include <dlfcn.h>
#include <gmp.h>
#include <stdio.h>
#include <stdlib.h>
static void *base_of(void *address) {
    Dl_info info;
    return address && dladdr(address, &info) ? info.dli_fbase : NULL;
}
int main(void) {
    void *ours = base_of(dlsym(RTLD_DEFAULT, "mpgpu_wait"));
    mpz_t x;
    mpz_init_set_ui(x, 3);
    mpz_mul(x, x, x);
    printf("%d %d %d %d %d\n", base_of(dlsym(RTLD_DEFAULT, "__gmpz_mul")) == ours,
           base_of(dlsym(RTLD_NEXT, "__gmpz_mul")) == ours, base_of(dlsym(RTLD_DEFAULT, "exit")) == ours,
           base_of(dlvsym(RTLD_DEFAULT, "mpgpu_wait", "MPGPU_0.1")) == ours,
           dlvsym(RTLD_DEFAULT, "mpgpu_wait", "MPGPU_0.0") == NULL);
    exit(0);
}
TEXT
    # shellcheck disable=SC2086 # CC may be "ccache gcc"
    ${CC:=cc} -o "$work/lookups" "$work/lookups.c" -lgmp -ldl || fail "$CC"
    LD_DEBUG=bindings LD_BIND_NOW=1 LD_PRELOAD=$library "$work/lookups" 2>"$work/bindings" >"$work/found" ||
        fail "lookups: status $?"
    [ "$(cat "$work/found")" = '1 1 1 1 1' ] || fail "lookups by name: $(cat "$work/found")"
    for name in __gmpz_mul exit; do
        grep "binding file [^ ]*/lookups .*symbol .$name'" "$work/bindings" | grep -q "to $library " ||
            fail "the program's $name is not the library's: $(grep "symbol .$name'" "$work/bindings")"
    done
fi

# Debian's symbols file must list the functions of mpgpu.h.  A device bundle does not contain this
# file.
symbols=$srcdir/debian/libmpgpu-gmp0.symbols
if [ -f "$symbols" ]; then
    sed -n 's/^ \(mpgpu_[a-z0-9_]*\)@\(.*\)/\1@@\2/p' "$symbols" | sed 's/ .*//' | LC_ALL=C sort >"$work/listed"
    diff -u "$work/expected_versions" "$work/listed" || fail "$symbols has other functions or versions"
fi

# debian/control must name libgmp as a dependency: no tool finds it, because the library opens
# libgmp by its name.
control=$srcdir/debian/control
if [ -f "$control" ]; then
    sed -n '/^Package: libmpgpu-gmp0$/,/^$/p' "$control" | grep -q '^Depends:.*libgmp10' ||
        fail "$control: libmpgpu-gmp0 does not depend on libgmp10"
fi

# doc/functions.md must list each exported function.  A device bundle does not contain this file.
doc=$srcdir/doc/functions.md
if [ -f "$doc" ]; then
    sed -n '/printf$\|scanf$/s/^__//p; s/^__g\(mp[a-z]*_\)/\1/p' "$work/expected" | while read -r name; do
        grep -q "\`$name\`" "$doc" || fail "doc/functions.md does not tell of $name"
    done
fi

# Every function of mpgpu.h that takes an argument must have a row in the test of NULL arguments.
null=$srcdir/tests/unit/compat/test_null.c
if [ -f "$null" ]; then
    grep '^mpgpu_' "$work/expected" | grep -vxE 'mpgpu_(version|version_number|wait|sent|error|queue_create)' | while read -r name; do
        grep -q "[( ]${name}[(,]" "$null" || fail "$null does not call $name"
    done
fi

# doc/packaging/Dockerfile must install what debian/control's Build-Depends names; build-essential
# brings the compiler, and debhelper provides debhelper-compat.
dockerfile=$srcdir/doc/packaging/Dockerfile
if [ -f "$control" ] && [ -f "$dockerfile" ]; then
    sed -n '/^Build-Depends:/,/^[A-Z].*-Indep:/p' "$control" | sed -n 's/^ \([a-z0-9-]*\).*/\1/p' |
        sed 's/^debhelper-compat$/debhelper/' | sort >"$work/needed"
    grep -m 1 'build-essential' "$dockerfile" | tr -d '\\' | tr -s ' ' '\n' | grep -vx -e '' -e build-essential |
        sort >"$work/installed"
    [ "$(wc -l <"$work/needed")" -ge 5 ] || fail 'no Build-Depends in debian/control'
    same "$work/needed" "$work/installed"
fi
