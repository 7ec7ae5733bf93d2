#!/bin/sh
# SPDX-License-Identifier: LGPL-3.0-or-later
# Checks that the compiler type-checks kernel launches (lib/device/launch.h): a launch with a
# missing, extra or mistyped argument does not compile, nor does a launch of an unknown kernel.
. "$(dirname "$0")/../support/common.sh"
[ -n "${CC-}" ] || skip 'no compiler is named in CC'
[ -f "$builddir/lib/device/launches.h" ] || skip 'no build tree here: lib/device/launches.h is not there'

# compiles CALL: succeeds if a C function with the statement CALL compiles. CALL may use the
# variables r, n and more.
compiles() {
    cat >"$work/launch.c" <<END
#include "lib/device/launch.h"
int test(struct context *s, struct launch_groups groups, gpu_mem r, uint64_t n, uint32_t more);
int test(struct context *s, struct launch_groups groups, gpu_mem r, uint64_t n, uint32_t more) {
    (void)n, (void)more;
    return $1;
}
END
    # shellcheck disable=SC2086 # CC may be several words
    LC_ALL=C $CC -std=c11 -Werror=implicit-function-declaration -I"$builddir" -I"$srcdir" \
        -fsyntax-only "$work/launch.c" >"$work/log" 2>&1
}

# refused WHAT CALL: checks that the launch CALL, which has the fault WHAT, does not compile, and
# that the compiler's message names the function.
refused() {
    compiles "$2" && fail "it compiles with $1: $2"
    function=${2%%(*}
    grep -q 'error:' "$work/log" || fail "no error is named for $1: $(cat "$work/log")"
    grep -q "$function" "$work/log" ||
        fail "the message for $1 does not name $function: $(cat "$work/log")"
}

compiles 'launch_carry_add(s, groups, r, 0, n, more, r)' || fail "$(cat "$work/log")"
refused 'a missing argument' 'launch_carry_add(s, groups, r, 0, n, more)'
refused 'an extra argument' 'launch_carry_add(s, groups, r, 0, n, more, r, 1)'
refused 'memory for an integer' 'launch_carry_add(s, groups, r, 0, r, more, r)'
refused 'an integer for memory' 'launch_carry_add(s, groups, n, 0, n, more, r)'
refused 'a zero for memory' 'launch_carry_add(s, groups, r, 0, n, more, 0)'
refused 'no groups' 'launch_carry_add(s, r, 0, n, more, r)'
refused 'a kernel that is not there' 'launch_carry_sub(s, groups, r, 0, n, more, r)'

compiles 'launch_crt(s, 1, groups, r, 0, 0, n, r, 0, n, r, more, more, 0, 0, r, r, 0)' || fail "$(cat "$work/log")"
refused 'no variant' 'launch_crt(s, groups, r, 0, 0, n, r, 0, n, r, more, more, 0, 0, r, r, 0)'

# Checks that each kernel has a launch function.
sed -n 's/^KERNEL_OF(.*, \([a-z0-9_]*\), .*, .*, .*, .*)$/\1/p' "$builddir/kernels/kernels.def" | sort -u >"$work/names"
[ -s "$work/names" ] || fail 'kernels/kernels.def lists no kernel'
while read -r name; do
    grep -q "^static inline enum gpu_status launch_$name(" "$builddir/lib/device/launches.h" ||
        fail "there is no launch_$name"
done <"$work/names"
