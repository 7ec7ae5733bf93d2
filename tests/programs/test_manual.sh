#!/bin/sh
# SPDX-License-Identifier: LGPL-3.0-or-later
# Compiles the examples of every manual page of section 3.  Runs them with each backend that has a
# device, and without a device; their output must be that in the page.  An example is between the
# roff comments `program NAME` and `end`, its output between `output NAME` and `end`.
. "$(dirname "$0")/../support/common.sh"
ls "$srcdir"/doc/*.3 >/dev/null 2>&1 || skip 'no manual pages here'
there=$(backends)

# Prints the lines of page $1 between the roff comment $2 and the next `end`, with roff escapes
# resolved.
part() {
    sed -n '/^\.\\" '"$2"'$/,/^\.\\" end$/p' "$1" | sed '/^\./d; s/\\e/\\/g; s/\\-/-/g; s/\\&//g'
}

# Runs program $1 with the library's options $2, and compares its output.
run() {
    LD_LIBRARY_PATH=$builddir/.libs MPGPU_CONF=$2 timeout 600 "$work/$1" >"$work/$1.out" 2>"$work/$1.err" ||
        fail "$1, $2: status $?: $(cat "$work/$1.err")"
    same "$work/$1.expected" "$work/$1.out"
    echo "$1, ${2%%,*}: $(tr '\n' ' ' <"$work/$1.out")"
}

# Compiles example $2 of page $1, and runs it without a device and on each backend.
example() {
    part "$1" "program $2" >"$work/$2.c"
    part "$1" "output $2" >"$work/$2.expected"
    [ -s "$work/$2.expected" ] || fail "$1 does not show the output of $2"
    ${CC:=cc} -std=c11 -Wall -Wextra -Werror -I "$srcdir/include" -o "$work/$2" "$work/$2.c" "$library" -lgmp ||
        fail "$2 does not compile"
    run "$2" backend:none
    for backend in $there; do
        run "$2" "backend:$backend,open:wait,watchdog:600,batch:1,mul:30"
    done
}

for page in "$srcdir"/doc/*.3; do
    sed -n 's/^\.\\" program //p' "$page" >"$work/names"
    [ -s "$work/names" ] || fail "$page has no example"
    while read -r name; do
        example "$page" "$name" </dev/null
    done <"$work/names"
done
