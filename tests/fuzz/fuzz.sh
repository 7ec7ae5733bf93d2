#!/bin/sh
# SPDX-License-Identifier: LGPL-3.0-or-later
# Runs each fuzz target for some time in a separate build with address and undefined-behaviour
# sanitizers. With clang it uses libFuzzer, which is guided by coverage; otherwise the project's own
# driver.  `make fuzz` calls this script in the build tree.  libFuzzer's corpus stays in
# sanitize-fuzz/corpus for the next run.
# Usage: fuzz.sh SOURCE_DIR SECONDS TARGET...
set -eu
source=$(cd "$1" && pwd)
seconds=$2
shift 2
: "${MAKE:=make}"
flags='-O1 -g -U_FORTIFY_SOURCE -fsanitize=address,undefined -fno-sanitize-recover=all'
export ASAN_OPTIONS=use_sigaltstack=0:abort_on_error=1 UBSAN_OPTIONS=print_stacktrace=1
export LSAN_OPTIONS="suppressions=$source/tests/sanitize/lsan.supp:print_suppressions=0"
mkdir -p sanitize-fuzz
cd sanitize-fuzz
XDG_CACHE_HOME=$PWD XDG_CONFIG_HOME=$PWD
export XDG_CACHE_HOME XDG_CONFIG_HOME
mkdir -p mpgpu-gmp
echo watchdog:0 >mpgpu-gmp/mpgpu.conf

# Succeeds if clang can link a program with libFuzzer.
has_libfuzzer() {
    echo 'int LLVMFuzzerTestOneInput(const char *p, long n) { return p && n < 0; }' >probe.c
    clang -fsanitize=fuzzer,address probe.c -o probe >/dev/null 2>&1
}

libfuzzer=no
! has_libfuzzer || libfuzzer=yes
if [ -f Makefile ]; then
    :
elif [ $libfuzzer = yes ]; then
    "$source/configure" --without-cuda --quiet CC=clang CPPFLAGS=-DLIBFUZZER \
        CFLAGS="$flags -fsanitize=fuzzer-no-link"
else
    echo 'fuzz.sh: no clang with libFuzzer: our own driver, not led by coverage'
    "$source/configure" --without-cuda --quiet CFLAGS="$flags"
fi
if [ $libfuzzer = yes ]; then
    "$MAKE" FUZZ_ENGINE=-fsanitize=fuzzer libmpgpu-gmp.la "$@"
else
    "$MAKE" libmpgpu-gmp.la "$@"
fi

for target; do
    name=$(basename "$target" | sed 's/^fuzz_//')
    seeds=$source/tests/fuzz/corpus/$name
    [ -d "$seeds" ] || seeds=
    echo "$target for $seconds s"
    status=0
    if [ $libfuzzer = yes ]; then
        mkdir -p "corpus/$name"
        # shellcheck disable=SC2086 # none or one
        "$target" -max_total_time="$seconds" -max_len=2048 -timeout=60 -error_exitcode=70 -print_final_stats=1 \
            "corpus/$name" $seeds >"$name.log" 2>&1 || status=$?
    else
        # shellcheck disable=SC2086
        "$target" --seconds "$seconds" --seed "$(date +%s)" ${seeds:+"$seeds"/*} \
            >"$name.log" 2>&1 || status=$?
    fi
    tail -n 12 "$name.log"
    [ $status -eq 0 ] || [ $status -eq 77 ] || {
        echo "fuzz.sh: $target: exit status $status; all output is in sanitize-fuzz/$name.log"
        exit 1
    }
done
