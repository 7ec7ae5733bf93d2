#!/bin/sh
# SPDX-License-Identifier: LGPL-3.0-or-later
# Instructions that a small call executes under preload beyond GMP's own, by valgrind's
# callgrind.  Usage: instructions.sh BUILD_DIR
# A line a function: name, instructions with GMP alone, under preload, difference, functions
# of the library that were entered (where libgmp lets its inner calls be caught: more than
# one), difference for each of these.  Exit status 77 where there is no valgrind.
set -eu
build=$(cd "$1" && pwd)
calls=$build/tests/integration/calls
library=$build/.libs/libmpgpu-gmp.so.0
if ! command -v valgrind >/dev/null 2>&1; then
    echo 'skipped: valgrind is not installed'
    exit 77
fi
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

# Instructions of $2 calls of function $1, and how often the library was entered.
count() {
    valgrind --tool=callgrind --callgrind-out-file="$work/out" "$calls" "$1" "$2" >"$work/log" 2>&1 || return
    # Objects are named once, "ob=(2) /path", then as "ob=(2)"; calls= follows the cob= of
    # what is called where that lies in another object.
    awk '
        function object(text) {
            sub(/^c?ob=/, "", text)
            id = text
            sub(/\).*/, ")", id)
            if (length(text) > length(id))
                name[id] = text
            return name[id] ~ /libmpgpu-gmp/
        }
        /^ob=/ { ours = object($0) }
        /^cob=/ { there = object($0); other = 1 }
        /^calls=/ { if (other && there && !ours) entered += substr($1, 7); other = 0 }
        /^totals:/ { total = $2 }
        END { print total, entered + 0 }' "$work/out"
}

# Of one call: those of many less those of few.
a_call() {
    few=$(count "$1" 100) many=$(count "$1" 1100)
    echo "$few $many" | awk '{ print ($3 - $1) / 1000, ($4 - $2) / 1000 }'
}

for function in $("$calls" --list); do
    alone=$(a_call "$function")
    with=$(LD_PRELOAD=$library a_call "$function")
    echo "$function ${alone% *} $with" | awk '{
        printf "%s %.0f %.0f %.0f %.0f %.1f\n", $1, $2, $3, $3 - $2, $4, ($3 - $2) / ($4 ? $4 : 1) }'
done
