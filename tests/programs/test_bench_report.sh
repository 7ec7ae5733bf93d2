#!/bin/sh
# SPDX-License-Identifier: LGPL-3.0-or-later
# Tests mpgpu-bench-report, which makes tables, JSON and plots of the CSV files of mpgpu-bench and
# of doc/measurements.
. "$(dirname "$0")/../support/common.sh"
need_command python3
pages=$srcdir/doc/measurements
report=$srcdir/tools/bench/mpgpu-bench-report
# Debian's package of matplotlib works only with Debian's own Python.
python=python3
/usr/bin/python3 -c 'import matplotlib' 2>/dev/null && python=/usr/bin/python3

# Runs the report with arguments $2...; the exit status must be $1.  The output is in $work/out and
# $work/err.
run_report() {
    expected=$1 status=0
    shift
    $python "$report" "$@" >"$work/out" 2>"$work/err" || status=$?
    [ "$status" -eq "$expected" ] || fail "mpgpu-bench-report $*: exit status $status: $(cat "$work/out" "$work/err")"
}

# Runs the report with arguments $2...: it must fail with a message that contains $1.
bad() {
    text=$1
    shift
    run_report 2 "$@"
    grep -qF -e "$text" "$work/err" || fail "mpgpu-bench-report $*: no '$text' in: $(cat "$work/err")"
}

# ---- tables

# Tests the report on a CSV file that mpgpu-bench writes without a device: its column malloc has no
# times.
"$builddir/tools/mpgpu-bench" -b none --sizes 10:11/2 -o mul,mul/3 -c gmp,malloc --quick --csv "$work/times.csv" \
    >"$work/log" 2>&1 || fail "mpgpu-bench: $(cat "$work/log")"
run_report 0 "$work/times.csv"
[ "$(head -n 1 "$work/out")" = '| operation | bits | gmp | malloc |' ] || fail "$(cat "$work/out")"
[ "$(grep -c '^| mul/3 | \(2^1[01]\|1448\) | [0-9.e-]* | - |$' "$work/out")" -eq 3 ] || fail "$(cat "$work/out")"
$python "$report" --columns gmp - <"$work/times.csv" >"$work/columns"
[ "$(head -n 1 "$work/columns")" = '| operation | bits | gmp |' ] || fail "$(cat "$work/columns")"
run_report 0 --json "$work/times.csv"
$python - "$work/out" <<'TEXT' || fail "--json: $(cat "$work/out")"
import json, sys
run = json.load(open(sys.argv[1]))
first = run["figures"][0]
assert run["gmp"] and run["device"] and len(run["figures"]) == 12
assert first["operation"] == "mul" and first["bits"] == 1024 and first["state"] == "right" and first["median"] > 0
TEXT

# Tests the report on a CSV file with rates, one of which has a wrong result.
header='operation,bits,candidate,unit,median,state'
printf '%s\n' '# H100, <date>' $header 'mul,4096,threads-2,per second,5000.7,right' 'mul,4096,gmp-threads-2,per second,99.5,wrong' \
    'mul,4096,ratio-threads-2,ratio,50.2,right' 'mul,4096,threads-4,per second,9000,right' >"$work/rates.csv"
run_report 0 "$work/rates.csv"
grep -qxF '| mul | 2^12 | 5001 | 99.5 WRONG | 9000 |' "$work/out" || fail "rates: $(cat "$work/out")"

printf '%s\n' $header 'mul,4096,device-memory,MiB,2.06,right' >"$work/in"
run_report 0 "$work/in"
grep -qxF '| mul | 2^12 | 2.06 |' "$work/out" || fail "memory: $(cat "$work/out")"

# Tests the report on a table of doc/measurements whose figures the README repeats.
run_report 0 "$pages/ratios-h200.csv"
grep -qxF '| power modulo | 10^8 | 41545 | 24.6 |' "$work/out" || fail "ratios-h200.csv: $(cat "$work/out")"

bad nonexistent "$work/nonexistent"
bad 'no figures' /dev/null
bad 'not a line of mpgpu-bench --csv' "$0"
bad 'no such columns: warp' --columns warp "$work/times.csv"
bad '--ratios needs --plot' --ratios gmp "$work/times.csv"
for bits in 0 -64 nan; do
    printf '%s\n' $header "mul,$bits,gmp,ms,1,right" >"$work/in"
    bad "not a line of mpgpu-bench --csv: mul,$bits" "$work/in"
done
for median in nan inf -inf; do
    printf '%s\n' $header "mul,64,gmp,ms,$median,right" >"$work/in"
    bad 'not a line of mpgpu-bench --csv' --json "$work/in"
done
printf '\377' | cat - "$work/times.csv" >"$work/in"
bad 'no text in UTF-8' "$work/in"
printf '\357\273\277' | cat - "$work/times.csv" >"$work/in" # as spreadsheets write it
run_report 0 "$work/in"
status=0
$python "$report" - <&- 2>"$work/err" || status=$?
[ $status -eq 2 ] && grep -q 'standard input is closed' "$work/err" || fail "no input: $status: $(cat "$work/err")"
status=0
$python "$report" "$work/times.csv" >&- 2>"$work/err" || status=$?
[ $status -eq 2 ] && grep -q 'standard output is closed' "$work/err" || fail "no output: $status: $(cat "$work/err")"
bad '.svg or .png: plot.gif' --plot plot.gif "$work/times.csv"

# ---- pictures

$python -c 'import matplotlib' 2>/dev/null || {
    bad 'matplotlib is not installed' --plot "$work/plot.svg" "$work/times.csv"
    skip "pictures: matplotlib is not installed (Debian: python3-matplotlib)"
}
export MPLCONFIGDIR="$work/matplotlib"

# Prints the texts in SVG file $1, one a line.
texts() {
    sed -n 's/.*<text [^>]*>\([^<]*\)<.*/\1/p' "$1"
}

# The legend of $work/plot.svg must have the entries "$@" in this order.
legend() {
    printf '%s\n' "$@" >"$work/right"
    texts "$work/plot.svg" | grep -xF -f "$work/right" >"$work/legend"
    same "$work/right" "$work/legend"
}

# Plots in the documents must have the texts of plots drawn anew from their tables.  Their lines may
# differ between versions of matplotlib.
mkdir "$work/drawn"
PYTHON3=$python "$pages/pictures.sh" "$work/drawn" || fail pictures.sh
for picture in "$pages"/*.svg; do
    texts "$picture" >"$work/there"
    texts "$work/drawn/$(basename "$picture")" >"$work/now"
    [ "$(wc -l <"$work/there")" -gt 10 ] || fail "$picture: few texts"
    same "$work/now" "$work/there"
    grep -q NVIDIA "$work/there" && grep -q '20[0-9][0-9]-' "$work/there" || fail "$picture does not name card and date"
done
[ "$(head -c 4 "$work/drawn/bench-h200.png" | tail -c 3)" = PNG ] || fail "no PNG"
! cmp -s "$work/drawn/ratios-h200.svg" "$work/drawn/ratios-h200-dark.svg" || fail "dark pages have no colours of their own"

# Tests a plot of times. Its title must have the device, GMP's version and the date. The legend must
# list the lines in the order of their values at the right end, the highest first.
printf '%s\n' $header,date,gmp,device 'mul,1024,malloc,ms,1,right,2026-01-02,6.3.0,"cuda: <H100>"' \
    'mul,1024,pool,ms,10,right,2026-01-02,6.3.0,x' 'mul,1024,gmp,ms,100,right,2026-01-02,6.3.0,cuda: <H100>' >"$work/in"
run_report 0 "$work/in" --plot "$work/plot.svg"
legend 'GMP, one thread' 'host to host, the pool' 'host to host, malloc'
texts "$work/plot.svg" | grep -qxF 'cuda: &lt;H100&gt;; GMP 6.3.0; 2026-01-02' || fail "title: $(texts "$work/plot.svg")"

# In a plot of ratios, the legend must begin with the operation that has the highest ratio. In a
# plot made with --rows, it must begin with the row that takes the shortest time.
printf '%s\n' '# H100, <date>' $header slow,1024,gmp,ms,1, slow,1024,pool,ms,1, 'a <fast>,1024,gmp,ms,90,' \
    'a <fast>,1024,pool,ms,1,' >"$work/in"
run_report 0 "$work/in" --ratios pool --plot "$work/plot.svg"
legend 'a &lt;fast&gt; (90)' 'slow (1)'
texts "$work/plot.svg" | grep -qxF 'H100, &lt;date&gt;' || fail 'no caption'
run_report 0 "$work/in" --rows --title Programs --plot "$work/plot.svg"
legend 'slow of 2^10 bits' 'a &lt;fast&gt; of 2^10 bits' Programs
bad 'no times of both gmp and link' "$work/in" --ratios link --plot "$work/plot.svg"

run_report 0 "$work/rates.csv" --plot "$work/plot.svg"
legend threads mul 2^12 GMP
