#!/bin/sh
# SPDX-License-Identifier: LGPL-3.0-or-later
# A set-user-ID program that is linked with the library: nothing that its caller put into
# the environment counts, no device is opened, no file written.
. "$(dirname "$0")/common.sh"
[ "$(id -u)" = 0 ] || skip "only root can make another user's set-user-ID program"
need_command "${CC:=cc}"
echo '#include <gmp.h>' | $CC -E - >/dev/null 2>&1 || skip "gmp.h is not installed"

cat >"$work/user.c" <<'TEXT'
#include <gmp.h>
#include <stdio.h>
#include <sys/auxv.h>
#include "lib/mpgpu.h"
int main(void) {
    mpz_t x;
    mpz_init(x);
    mpz_ui_pow_ui(x, 3, 100000);
    mpz_mul(x, x, x);
    gmp_printf("%s %lu %d %lu\n", getauxval(AT_SECURE) ? "secure" : "plain",
               mpz_fdiv_ui(x, 1000000007), mpgpu_wait(), mpgpu_sent());
    mpz_clear(x);
    return 0;
}
TEXT
# The linker's path is in the program: LD_LIBRARY_PATH would not count.
$CC -I"$srcdir" -o "$work/user" "$work/user.c" "$library" -lgmp \
    -Wl,-rpath,"$(dirname "$library")" || fail "cannot link"
chown 65534 "$work/user"
chmod 4755 "$work/user"

mkdir "$work/config" "$work/cache"
mkdir "$work/config/mpgpu-gmp"
echo stats:text >"$work/config/mpgpu-gmp/mpgpu.conf"
chmod 0777 "$work/cache"
MPGPU_CONF=mul:1,sqr:1,open:wait,log:3,stats:json,confirm:true,nonsense \
    XDG_CONFIG_HOME=$work/config XDG_CACHE_HOME=$work/cache HOME=$work \
    "$work/user" >"$work/out" 2>"$work/err" || fail "exit status $?: $(cat "$work/err")"
cat "$work/out"
grep -q '^secure' "$work/out" || skip "set-user-ID does not work in $work"
# 3^200000 modulo 1000000007, from elsewhere.
[ "$(cat "$work/out")" = "secure 646068149 0 0" ] || fail "a device, or a wrong result"
[ ! -s "$work/err" ] || fail "messages: $(cat "$work/err")"
[ -z "$(ls -A "$work/cache")" ] || fail "files in the cache's folder"
