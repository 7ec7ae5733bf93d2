#!/bin/sh
# SPDX-License-Identifier: LGPL-3.0-or-later
# estimate.sh BUILD [TIMES]: compares the estimates of `mpgpu-run --estimate` with measured times,
# for six programs.  Needs a GPU and a build tree or bundle.  Prints for each program the seconds
# with GMP alone, and two estimates: for this machine's processor, and for the processor of the
# table's machine.  Then come the median seconds of REPEATS (3) runs with a running server, and the
# first estimate divided by this median.  TIMES is a table for mpgpu-run --estimate, for example one
# that mpgpu-bench has written on this machine.
set -eu
build=$(cd "$1" && pwd)
times=${2:-h200}
run=$build/tools/mpgpu-run
work=$(mktemp -d /tmp/mpgpu-estimate.XXXXXX)
export XDG_RUNTIME_DIR="$work"
trap '"$build/tools/mpgpu-serve" --end 2>/dev/null; rm -rf "$work"' EXIT
python=${PYTHON:-/usr/bin/python3}
cat >"$work/script.gp" <<'TEXT'
a = 7^20000000; b = 11^20000000;
for(i = 1, 12, c = a*b; d = c\a; s = sqrtint(c));
TEXT
cat >"$work/script.py" <<'TEXT'
import gmpy2
def fibonacci_like(n):
    a, b = gmpy2.mpz(1), gmpy2.mpz(3)
    for _ in range(n):
        a, b = b, a * a + b
    return a
x = fibonacci_like(44)
for k in range(200):
    y = (x << k) * (x + k)
    assert y // x >= x
print(gmpy2.num_digits(x, 2))
TEXT

# Prints the seconds of a run whose output is discarded.
seconds() {
    begin=$(date +%s%N)
    "$@" >/dev/null 2>&1 </dev/null
    awk -v begin="$begin" -v end="$(date +%s%N)" 'BEGIN { printf "%.3f\n", (end - begin) / 1e9 }'
}

# compare NAME PROGRAM...: prints a row of the table.
compare() {
    name=$1
    shift
    "$run" --estimate="$times" "$@" >/dev/null 2>"$work/err" </dev/null
    for _ in $(seq "${REPEATS:-3}"); do
        seconds "$run" --serve --wait "$@"
    done | sort -n >"$work/times"
    median=$(sed -n "$(((${REPEATS:-3} + 1) / 2))p" "$work/times")
    awk -v name="$name" -v measured="$median" '/^mpgpu-run: here: / { here = $3 }
        /^mpgpu-run: estimate: .* processor/ { one = $3 } /^mpgpu-run: estimate: .* the table/ { two = $3 }
        END { printf "| %s | %.2f | %.2f | %.2f | %.2f | %.2f |\n", name, here, one, two, measured, one / measured }' "$work/err"
}

echo "| program | GMP, s | estimate, s | on the table's machine, s | measured, s | estimate / measured |"
echo '| --- | ---: | ---: | ---: | ---: | ---: |'
compare 'pi, 10^7 digits' "$build/examples/pi" 10000000
for program in batch-gcd powers conversions; do
    compare $program "$build/tests/performance/estimated" $program
done
if command -v gp >/dev/null 2>&1; then
    compare 'a gp script' gp -fq -s 2G "$work/script.gp"
fi
if "$python" -c 'import gmpy2.gmpy2' >/dev/null 2>&1; then
    compare 'a gmpy2 script' "$python" "$work/script.py"
fi
