#!/bin/sh
# SPDX-License-Identifier: LGPL-3.0-or-later
# The programs of mpgpu-batch(3) compile as they stand there, and say what is right,
# with every backend that is here and without.
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
    run "$1" "$2" backend:none
    for backend in $there; do
        run "$1" "$2" "backend:$backend,open:wait,watchdog:600,batch:1,cpu_program:$builddir/tools/mpgpu-cpu"
    done
}

# Program $1 says $2 with these options.
run() {
    got=$(LD_LIBRARY_PATH=$builddir/.libs MPGPU_CONF=$3 timeout 600 "$work/$1") || fail "$1, $3: $?"
    [ "$got" = "$2" ] || fail "$1, $3, says '$got'"
    echo "$1, ${3%%,*}: $got" | tr '\n' ' '
    echo
}

there=$(backends)

said paillier '100 messages'
said primes '1229 primes'
said factors 'number 17
number 160'
