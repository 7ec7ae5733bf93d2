#!/bin/sh
# SPDX-License-Identifier: LGPL-3.0-or-later
# Programs built with sanitizers of gcc or clang must run under mpgpu-run as they run alone, also as
# children of another program. Each runs without a device and with each backend.
. "$(dirname "$0")/../support/common.sh"
cat >"$work/program.c" <<'TEXT'
#include <gmp.h>
#include <stdio.h>
int main(void) {
    mpz_t x;
    mpz_init(x);
    mpz_ui_pow_ui(x, 3, 200000);
    for (int i = 0; i < 5; i++) {
        mpz_mul(x, x, x);
        mpz_tdiv_r_2exp(x, x, 300000);
        mpz_setbit(x, 299999);
    }
    printf("%lu\n", mpz_fdiv_ui(x, 1000003));
    mpz_clear(x);
    return 0;
}
TEXT
# A program that defines its own default options of AddressSanitizer; they must take effect.
cat >"$work/options.c" <<'TEXT'
const char *__asan_default_options(void);
const char *__asan_default_options(void) { return "exitcode=7:verify_asan_link_order=0"; }
TEXT

# runs WHAT COMMAND...: runs the command and checks that its output is the same as without the
# library.
runs() {
    what=$1
    shift
    status=0
    timeout 600 "$@" >"$work/out" 2>"$work/err" || status=$?
    [ $status -eq 0 ] && cmp "$work/alone" "$work/out" && [ ! -s "$work/err" ] ||
        fail "$compiler, $what: status $status, $(cat "$work/out" "$work/err")"
}
devices=$(backends)
tried=
for compiler in gcc clang; do
    for sanitizer in address thread undefined leak; do
        more=
        [ $sanitizer = address ] && more=$work/options.c
        for also in '' $more; do
            # shellcheck disable=SC2086 # one file or none
            if ! $compiler -fsanitize=$sanitizer -O1 -w "$work/program.c" $also -o "$work/program" -lgmp 2>"$work/err" ||
                ! "$work/program" >"$work/alone" 2>"$work/err"; then
                echo "skipped: $compiler -fsanitize=$sanitizer does not work here"
                continue
            fi
            tried=yes
            runs "$sanitizer, no device" "$run" --backend none "$work/program"
            runs "$sanitizer, a child" "$run" --backend none sh -c "'$work/program'; exit \$?"
            for backend in $devices; do
                runs "$sanitizer, $backend" "$run" --backend "$backend" --wait --threshold 1000 \
                    --conf server:off,dispatch:fixed,watchdog:600 "$work/program"
            done
            echo "passed: $compiler -fsanitize=$sanitizer${also:+, with options of its own}"
        done
    done
done
[ -n "$tried" ] || skip 'no compiler with sanitizers'
