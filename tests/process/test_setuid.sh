#!/bin/sh
# SPDX-License-Identifier: LGPL-3.0-or-later
# A set-user-ID program linked with the library must ignore its caller's environment, open no device
# and write no file. The test's files are in /tmp: the program runs as another user, who perhaps
# cannot read the build tree.
. "$(dirname "$0")/../support/common.sh"
[ "$(id -u)" = 0 ] || skip "only root can make another user's set-user-ID program"
need_command "${CC:=cc}"
echo '#include <gmp.h>' | $CC -E - >/dev/null 2>&1 || skip "gmp.h is not installed"
place=$(mktemp -d /tmp/mpgpu-setuid-XXXXXX) || skip "no folder in /tmp"
trap 'rm -rf "$place"' EXIT
chmod 0755 "$place"
[ -n "$(find /tmp -maxdepth 0 -perm -0001)" ] || skip "other users cannot enter /tmp"
cp -L "$library" "$place/libmpgpu-gmp.so.0"
chmod 0755 "$place/libmpgpu-gmp.so.0"

cat >"$work/user.c" <<'TEXT'
#include <gmp.h>
#include <stdio.h>
#include <sys/auxv.h>
#include "include/mpgpu.h"
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
# The program has the library's path built in, because the linker ignores LD_LIBRARY_PATH for
# set-user-ID programs.
$CC -I"$srcdir" -o "$place/user" "$work/user.c" "$place/libmpgpu-gmp.so.0" -lgmp \
    -Wl,-rpath,"$place" || fail "cannot link"
chown 65534 "$place/user"
chmod 4755 "$place/user"

mkdir "$place/config" "$place/cache"
mkdir "$place/config/mpgpu-gmp"
echo stats:text >"$place/config/mpgpu-gmp/mpgpu.conf"
chmod 0777 "$place/cache"
MPGPU_CONF=mul:1,sqr:1,open:wait,log:3,stats:json,confirm:true,nonsense \
    XDG_CONFIG_HOME=$place/config XDG_CACHE_HOME=$place/cache HOME=$place \
    "$place/user" >"$work/out" 2>"$work/err" || fail "exit status $?: $(cat "$work/err")"
cat "$work/out"
grep -q '^secure' "$work/out" || skip "set-user-ID does not work in /tmp (nosuid?)"
# 3^200000 modulo 1000000007, computed independently.
[ "$(cat "$work/out")" = "secure 646068149 0 0" ] || fail "a device, or a wrong result"
[ ! -s "$work/err" ] || fail "messages: $(cat "$work/err")"
[ -z "$(ls -A "$place/cache")" ] || fail "files in the cache's folder"
