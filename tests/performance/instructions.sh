#!/bin/sh
# SPDX-License-Identifier: LGPL-3.0-or-later
# Measures, by valgrind's callgrind, how many more instructions a small call executes under preload
# than with GMP alone.
# Usage: instructions.sh BUILD_DIR [LIBGMP_DIR]
# Prints a line for each function: name; instructions with GMP alone; instructions under preload;
# their difference; how often the call entered the library; and the difference divided by that
# number. If libgmp's inner calls can be intercepted, a call may enter the library more than once.
# Exit status 77 without valgrind.
set -eu
build=$(cd "$1" && pwd)
calls=$build/tests/performance/calls
library=$build/.libs/libmpgpu-gmp.so.0
repeats=1000
if ! command -v valgrind >/dev/null 2>&1; then
    echo 'skipped: valgrind is not installed'
    exit 77
fi
[ $# -lt 2 ] || export LD_LIBRARY_PATH="$2${LD_LIBRARY_PATH:+:$LD_LIBRARY_PATH}"
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

# Reads the files $1.N that callgrind has written, one for each function.  Prints a line for each:
# the instructions of a call, and how often a call entered the library.
read_dumps() {
    for number in $(seq "$("$calls" --list | wc -l)"); do
        # callgrind names an object once, as "ob=(2) /path", and then writes "ob=(2)".  A line cob=
        # precedes calls= if the called function is in another object.
        awk -v repeats=$repeats '
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
            /^(totals|summary):/ { total = $2 }
            END { print total / repeats, entered / repeats }' "$1.$number"
    done
}

# Of every function.
count() {
    valgrind --tool=callgrind --callgrind-out-file="$work/out" --toggle-collect=repeat \
        --dump-after=repeat "$calls" $repeats >"$work/log" 2>&1 || { cat "$work/log"; exit 1; } >&2
    read_dumps "$work/out"
}

"$calls" --list >"$work/names"
count >"$work/alone"
LD_PRELOAD=$library count >"$work/with"
paste -d ' ' "$work/names" "$work/alone" "$work/with" | awk '{
    printf "%s %.0f %.0f %.0f %.0f %.1f\n", $1, $2, $4, $4 - $2, $5, ($4 - $2) / ($5 ? $5 : 1) }'
