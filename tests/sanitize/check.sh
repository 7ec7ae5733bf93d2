#!/bin/sh
# SPDX-License-Identifier: LGPL-3.0-or-later
# Builds the project with a sanitizer in a separate folder and runs tests there; make calls it in
# the build tree.
# Usage: check.sh KIND SOURCE_DIR TEST...
#   KIND   asan: addresses, leaks and undefined behaviour; tsan: data races
set -eu
kind=$1
source=$(cd "$2" && pwd)
shift 2

# use_sigaltstack=0: LLVM replaces the signal stack that ASan has set, and ASan would then fail to
# release it. verify_asan_link_order=0: tests preload the library before ASan.
case $kind in
asan)
    flags='-fsanitize=address,undefined -fno-sanitize-recover=all -fno-omit-frame-pointer'
    export ASAN_OPTIONS=use_sigaltstack=0:verify_asan_link_order=0:abort_on_error=1
    export LSAN_OPTIONS="suppressions=$source/tests/sanitize/lsan.supp:print_suppressions=0"
    export UBSAN_OPTIONS=print_stacktrace=1
    ;;
tsan)
    flags=-fsanitize=thread
    export TSAN_OPTIONS="suppressions=$source/tests/sanitize/tsan.supp:report_thread_leaks=0:die_after_fork=0"
    ;;
*)
    echo "check.sh: unknown kind $kind" >&2
    exit 2
    ;;
esac
mkdir -p "sanitize-$kind"
cd "sanitize-$kind"
[ -f Makefile ] || "$source/configure" --without-cuda --quiet \
    CFLAGS="-O1 -g -U_FORTIFY_SOURCE $flags" ${CC:+CC="$CC"}
# With a sanitizer, opening a device may take minutes. A test may take ten times as long as usual.
export CK_TIMEOUT_MULTIPLIER=10
mkdir -p tests/home/mpgpu-gmp
printf '%s\n' watchdog:0 server:off >tests/home/mpgpu-gmp/mpgpu.conf
chmod go-w tests/home/mpgpu-gmp/mpgpu.conf
# Runs the tests once without reports, only to fill PoCL's kernel cache. PoCL builds kernels by
# libLLVM, which is not instrumented, in the calling thread. After such a build gcc 12's
# ThreadSanitizer reports races in that thread even where atomics order the accesses.
if [ "$kind" = tsan ]; then
    ${MAKE:-make} check TESTS=
    TSAN_OPTIONS=report_bugs=0:exitcode=0:report_thread_leaks=0 \
        ${MAKE:-make} check TESTS="$*" >first.log 2>&1 || true
fi
${MAKE:-make} check TESTS="$*"
