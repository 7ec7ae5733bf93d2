#!/bin/sh
# SPDX-License-Identifier: LGPL-3.0-or-later
# Counts instructions by callgrind. A program with small numbers must execute at most 1 % more
# instructions under preload, and open no device. Each call of a function may execute at most 12
# instructions more, whether libgmp's inner calls can be intercepted or not.
. "$(dirname "$0")/../support/common.sh"
. "$(dirname "$0")/../clients/clients.sh"
small=$builddir/tests/performance/small

"$small" >"$work/gmp"
LD_PRELOAD=$library "$small" >"$work/preload"
same "$work/gmp" "$work/preload"
grep -q '^driver mapped: no' "$work/preload" || fail "a device's driver was loaded"

need_command valgrind
# Prints the number of instructions that the program executes.
instructions() {
    valgrind --tool=callgrind --callgrind-out-file=/dev/null "$small" 2>&1 >/dev/null |
        awk '/Collected/ { print $NF }'
}
alone=$(instructions)
[ -n "$alone" ] || skip "valgrind does not run here"
preload=$(LD_PRELOAD=$library instructions)
echo "instructions: $alone with GMP alone, $preload under preload"
[ "$preload" -le $((alone + alone / 100)) ] || fail "more than 1 % more"

# For texts the limit is higher: finding the length of a text takes longer than reading the size of
# a number.
libgmp_kinds >"$work/kinds"
while read -r kind folder; do
    sh "$srcdir/tests/performance/instructions.sh" "$builddir" "$folder" >"$work/$kind"
    echo "$kind libgmp:"
    cat "$work/$kind"
    over=$(awk '$6 > ($1 ~ /set_str$/ && $1 !~ /^mpn/ ? 55 : 12) { print $1 }' "$work/$kind")
    [ -z "$over" ] || fail "over 12 for each function entered:" $over
    [ "$kind" = open ] || [ "$(awk '$5 != 1' "$work/$kind")" = "" ] ||
        fail "not one function of the library entered a call"
    [ "$(wc -l <"$work/$kind")" -gt 50 ] || fail "functions are missing"
done <"$work/kinds"
