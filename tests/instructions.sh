#!/bin/sh
# SPDX-License-Identifier: LGPL-3.0-or-later
# Instructions that a small call executes under preload beyond GMP's own, by valgrind's
# callgrind.  Usage: instructions.sh BUILD_DIR; a line a function: name, instructions
# with GMP alone, under preload, difference.  Exit status 77 where there is no valgrind.
set -eu
build=$(cd "$1" && pwd)
calls=$build/tests/integration/calls
library=$build/.libs/libmpgpu-gmp.so.0
if ! command -v valgrind >/dev/null 2>&1; then
    echo 'skipped: valgrind is not installed'
    exit 77
fi

# Instructions of $2 calls of function $1.
instructions() {
    valgrind --tool=callgrind --callgrind-out-file=/dev/null "$calls" "$1" "$2" 2>&1 >/dev/null |
        awk '/Collected/ { print $NF }'
}

# Instructions a call: those of many less those of few.
a_call() {
    few=$(instructions "$1" 100)
    many=$(instructions "$1" 1100)
    echo "$(((many - few) / 1000))"
}

for function in $("$calls" --list); do
    alone=$(a_call "$function")
    with=$(LD_PRELOAD=$library a_call "$function")
    echo "$function $alone $with $((with - alone))"
done
