#!/bin/sh
# SPDX-License-Identifier: LGPL-3.0-or-later
# Tests mpgpu-run --estimate with tables written by hand, which give each call a known time.  Also
# tests the built-in tables, programs without large calls, and wrong tables.
. "$(dirname "$0")/../support/common.sh"
program=$builddir/tests/programs/profiled
cd "$work" || exit
head='operation,bits,candidate,unit,median,device'

# estimate TABLE PROGRAM...: runs the program with --estimate=TABLE.  The report is in $work/err.
estimate() {
    table=$1
    shift
    timeout 300 "$run" --estimate="$table" "$@" >out 2>err || fail "$*: status $?: $(cat err)"
}

# row FUNCTION: prints three numbers from the function's line in the report: the calls, their
# seconds on this machine, and the estimated seconds.
row() {
    awk -v name="$1" '$1 == "mpgpu-run:" && $5 == name { print $2, $3, $4 }' err
}

# is FUNCTION CALLS ESTIMATE: the function's line must have this number of calls and this estimate,
# within 3 %.
is() {
    row "$1" | awk -v calls="$2" -v wanted="$3" '{ found = $1 == calls && $3 >= 0.97 * wanted - 0.001 && $3 <= 1.03 * wanted + 0.001 }
        END { exit !found }' || fail "$1: not $2 calls, $3 s: $(cat err)"
}

# 20000 limbs have 1280000 bits.  At this size the table gives 1 ms for a product, 2 ms for a
# quotient.
cat >constant <<TEXT
# by hand
$head
mul,1280000,threads-1,per second,1000,"a device, by hand"
mul,1280000,gmp-threads-1,per second,100,
div,1280000,threads-1,per second,500,"a device, by hand"
div,1280000,gmp-threads-1,per second,100,
mul/4,1280000,threads-1,per second,1,
mul,1280000,ratio-threads-1,ratio,10,
TEXT
estimate constant "$program" 20000 40
is mpz_mul 40 0.040
is mpz_tdiv_q 20 0.040
grep -q 'estimate of .*/profiled 20000 40, for a device, by hand,' err || fail "$(cat err)"

# Checks the totals of the report: each is the time outside of the calls plus the estimates of the
# calls. In the table, GMP takes 10 ms for a product.
awk 'function is(x, y) { return x > 0 && x >= y - 0.002 && x <= y + 0.002 }
    /^mpgpu-run: here: / { all = $3; calls = $5; outside = $(NF - 4) }
    /^mpgpu-run: estimate: .* processor/ { here = $3 }
    /^mpgpu-run: estimate: .* the table/ { there = $3 }
    END { exit !(is(all, calls + outside) && is(here, outside + 0.08) && is(there, outside * 0.6 / calls + 0.08)) }' err ||
    fail "the sum: $(cat err)"

# Between two sizes, the time is interpolated by a power of the size: 1 ms at 10000 limbs and 4 ms
# at 40000 give 2 ms at 20000.
cat >between <<TEXT
$head
mul,2560000,threads-1,per second,250,x
mul,640000,threads-1,per second,1000,x
TEXT
estimate between "$program" 20000 40
is mpz_mul 40 0.080
row mpz_tdiv_q | awk '{ exit !($2 == $3) }' || fail "no time for quotients: $(cat err)"
grep -q 'mpz_tdiv_q (without a time in the table: as here)' err || fail "$(cat err)"

# If the device of the table of times is slower than GMP, GMP computes the calls.
printf '%s\nmul,1280000,threads-1,per second,0.5,x\n' "$head" >slow
estimate slow "$program" 20000 10
row mpz_mul | awk '{ exit !($1 == 10 && $2 == $3) }' || fail "a slow device: $(cat err)"

# Calls of child processes are counted, and an estimate can be combined with a profile.
timeout 300 "$run" --estimate=constant --profile=page.html "$program" 20000 10 fork >out 2>err || fail "$(cat err)"
is mpz_mul 40 0.040
grep -q '^mpgpu-run: profile of ' err || fail "no profile: $(cat err)"

# For several threads, the report has the time during which at least one thread was in a call.
estimate constant "$program" 20000 20 threads
is mpz_mul 80 0.080
awk '/^mpgpu-run: here: / { exit !($5 > 0 && $5 <= $3 && $(NF - 4) >= 0) }' err || fail "threads: $(cat err)"

# Products into new memory need first writes to its pages, with a device too: the estimate has their
# processor time, which the program measures also.  GMP's scratch memory is not in the program's
# heap: the pages of a later block are new, as if a device had computed the products.
printf '%s\nmul,2560000,threads-1,per second,10000,x\n' "$head" >fast
for memory in used new; do
    estimate fast "$builddir/tests/programs/fresh_results" 40000 60 $memory
    row mpn_mul_n >row_$memory
    cp out out_$memory
    awk '{ exit !($2 >= 90) }' out || fail "$memory: only $(cat out) % of a block's pages are new"
done
awk '{ exit !($1 == 60 && $3 < 0.008) }' row_used || fail "used memory: $(cat row_used)"
paste row_used row_new out_new | awk '{ extra = $6 - $3; exit !($7 > 0.002 && extra > 0.4 * $7 && extra < 2.5 * $7) }' ||
    fail "new memory: $(paste row_used row_new out_new)"

# Tests the built-in tables, with a program that makes no large calls and with one that does.
for table in h100 h200; do
    estimate $table "$program" 1 1
    grep -q 'estimate: none: no call of GMP was at or above the thresholds' err || fail "no calls: $(cat err)"
    estimate $table "$program" 20000 10
    row mpz_mul | awk '{ exit !($1 == 10 && $3 < $2 / 2) }' || fail "$table: $(cat err)"
done
"$run" --estimate "$program" 20000 10 >out 2>err || fail "$(cat err)"
grep -q 'for cuda: NVIDIA H200' err || fail "$(cat err)"

# wrong TEXT LINE...: a table of these lines must be rejected with one line that contains TEXT.
wrong() {
    text=$1
    shift
    printf '%s\n' "$@" >table
    status=0
    "$run" --estimate=table "$program" 10 1 >out 2>err || status=$?
    [ $status -eq 125 ] && [ "$(wc -l <err)" -eq 1 ] && grep -q -e "$text" err || fail "'$text': status $status: $(cat err)"
}
wrong "table, line 1: no column 'median'" 'operation,bits,candidate,unit'
wrong "table, line 2: unknown operation 'mull'" "$head" 'mull,64,threads-1,per second,1,x'
wrong "table, line 2: no number: '1e'" "$head" 'mul,64,threads-1,per second,1e,x'
wrong "table, line 2: not per second: 'ms'" "$head" 'mul,64,threads-1,ms,1,x'
wrong "table, line 2: no number of bits: '-5'" "$head" 'mul,-5,threads-1,per second,1,x'
wrong "'table' has no row of mpgpu-bench threads --threads 1" "$head" 'mul,64,malloc,ms,1,x'
wrong "'table' has no row of mpgpu-bench threads --threads 1" ''
wrong "table, line 2: not as many columns as in the first line, after '3.7'" "$head" 'mul,64,threads-1,per second,3.7'
wrong 'table, line 1: a line is too long' "$head" "$(printf '#%05000d' 0)"
status=0
"$run" --estimate=nosuch "$program" 10 1 >out 2>err || status=$?
[ $status -eq 125 ] && grep -q "'nosuch': No such file or directory; it takes h100, h200" err || fail "status $status: $(cat err)"

# mpgpu-run must accept a table that mpgpu-bench writes.
"$builddir/tools/mpgpu-bench" threads --threads 1 -c malloc -o mul,get_str --sizes 14:15 --seconds 0.01 --conf backend:none \
    --csv measured >out 2>&1 || fail "mpgpu-bench: $(cat out)"
estimate measured "$program" 20000 10
row mpz_mul | awk '{ exit $1 != 10 }' || fail "a measured table: $(cat err)"
