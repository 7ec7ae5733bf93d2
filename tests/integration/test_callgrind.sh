#!/bin/sh
# SPDX-License-Identifier: LGPL-3.0-or-later
# A program of small numbers executes at most 1 % more instructions under preload,
# and opens no device.
. "$(dirname "$0")/common.sh"
small=$builddir/tests/integration/small

"$small" >"$work/gmp"
LD_PRELOAD=$library "$small" >"$work/preload"
same "$work/gmp" "$work/preload"
grep -q '^driver mapped: no' "$work/preload" || fail "a device's driver was loaded"

need_command valgrind
# The instructions of a run.
instructions() {
    valgrind --tool=callgrind --callgrind-out-file=/dev/null "$small" 2>&1 >/dev/null |
        awk '/Collected/ { print $NF }'
}
alone=$(instructions)
[ -n "$alone" ] || skip "valgrind does not run here"
preload=$(LD_PRELOAD=$library instructions)
echo "instructions: $alone with GMP alone, $preload under preload"
[ "$preload" -le $((alone + alone / 100)) ] || fail "more than 1 % more"
