#!/bin/sh
# SPDX-License-Identifier: LGPL-3.0-or-later
# The programs of mpgpu-batch(3) compile as they stand there, and say what is right.
. "$(dirname "$0")/../support/common.sh"
page=$srcdir/doc/mpgpu-batch.3
[ -f "$page" ] || skip 'no manual pages here'

# What stands between two comments of the page, without its escapes.
program() {
    sed -n '/^\.\\" program '"$1"'$/,/^\.\\" end$/p' "$page" | sed '/^\./d; s/\\e/\\/g; s/\\-/-/g'
}

said() {
    program "$1" >"$work/$1.c"
    [ -s "$work/$1.c" ] || fail "no program $1 in $page"
    ${CC:=cc} -std=c11 -Wall -Werror -I "$srcdir/include" -o "$work/$1" "$work/$1.c" \
        "$library" -lgmp || fail "$1 does not compile"
    got=$(LD_LIBRARY_PATH=$builddir/.libs MPGPU_CONF=backend:none "$work/$1") || fail "$1: $?"
    [ "$got" = "$2" ] || fail "$1 says '$got'"
    echo "$1: $got"
}

said paillier '100 messages'
said primes '1229 primes'
