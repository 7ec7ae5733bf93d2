#!/bin/sh
# SPDX-License-Identifier: LGPL-3.0-or-later
# Tests mpgpu-bench: every mode and operation at small sizes, the files that it writes, and bad
# arguments.  Times are not checked.
. "$(dirname "$0")/../support/common.sh"
bench=$builddir/tools/mpgpu-bench

# Runs mpgpu-bench with arguments $2...; the exit status must be $1.  The output is in $work/out and
# $work/err.
run_bench() {
    expected=$1 status=0
    shift
    "$bench" "$@" >"$work/out" 2>"$work/err" || status=$?
    [ "$status" -eq "$expected" ] ||
        fail "mpgpu-bench $*: exit status $status: $(cat "$work/out" "$work/err")"
}

# Counts the rows of CSV file $1 whose field 6 is $2, and which are complete and report a right
# result.
right() {
    awk -F, -v column="$2" '
        NR > 1 && $6 == column && $12 == "right" && $8 >= $9 && $8 <= $10 && $11 > 0 { n++ }
        END { print n + 0 }' "$1"
}

# Checks that every line of CSV file $1 has the 15 fields of the header, and that the last field is
# in quotation marks.
well_formed() {
    awk -F, 'NR == 1 && ($1 != "operation" || NF != 15) { exit 1 }
        NR > 1 && (NF < 15 || $15 !~ /^"/ || $NF !~ /"$/) { exit 1 }
        END { exit NR < 2 }' "$1" || fail "not well-formed: $(cat "$1")"
}

# ---- tests that need no device

run_bench 0 --help
for word in table smoothness threads crossover arrays largest mul mod_pow bnm1 malloc device --csv; do
    grep -q -e "^ *\(-., \)\?$word " "$work/out" || fail "--help does not tell of $word"
done
run_bench 0 --version
grep -q '^mpgpu-bench (mpgpu-gmp) [0-9]' "$work/out" || fail "--version: $(cat "$work/out")"

run_bench 0 -b none --sizes 10:11/2 -o mul,mul/3,sqr,bnm1,bnp1,add -c gmp,malloc --quick \
    --csv "$work/none.csv"
grep -q 'no device' "$work/err" || fail "no message that there is no device"
well_formed "$work/none.csv"
[ "$(right "$work/none.csv" gmp)" -eq 18 ] || fail "GMP alone: $(cat "$work/none.csv")"
[ "$(grep -c 'malloc,ms,.*,failed,' "$work/none.csv")" -eq 18 ] ||
    fail "times without a device: $(cat "$work/none.csv")"
run_bench 3 check -b none

# A measurement that is interrupted keeps the rows that it has printed.
"$bench" -b none --sizes 10:30 -o mul -c gmp --csv "$work/interrupted.csv" >"$work/out" 2>&1 &
child=$!
until [ "$(grep -c '^mul ' "$work/out")" -ge 2 ]; do sleep 0.05; done
kill $child
wait $child || true
well_formed "$work/interrupted.csv"
[ "$(right "$work/interrupted.csv" gmp)" -ge 2 ] || fail "interrupted: $(cat "$work/interrupted.csv")"

# The mode `threads` without a device: in the rounds with the library, GMP computes, too.  So results
# are the same with and without the library, and the ratio of the rates is about 1.
run_bench 0 threads -b none --quick --sizes 10:11 -o mul,mul/4,sqr,div,gcd,get_str --threads 1,2 --processes 2 \
    --csv "$work/none2.csv"
grep -q 'no device: GMP computes' "$work/out" || fail "threads without a device: $(cat "$work/out")"
grep -q '^lowest ratio: [0-9.]* at [a-z_/4]*, 2^1[01] bits, [12] [a-z]*$' "$work/out" ||
    fail "no lowest ratio: $(cat "$work/out")"
well_formed "$work/none2.csv"
for column in threads-1 threads-2 processes-2 gmp-threads-2 gmp-processes-2; do
    [ "$(right "$work/none2.csv" $column)" -eq 12 ] || fail "threads, $column: $(cat "$work/none2.csv")"
done
awk -F, '$6 ~ /^ratio-/ && ($7 != "ratio" || $8 < 0.1 || $8 > 10) { exit 1 }' "$work/none2.csv" ||
    fail "ratios without a device: $(cat "$work/none2.csv")"
status=0
"$bench" threads -b none --quick --sizes 10:10 --library "$work/none.so" >"$work/out" 2>"$work/err" || status=$?
[ $status -eq 2 ] && grep -q "without the library: $work/none.so" "$work/err" ||
    fail "a library that is not there: exit status $status: $(cat "$work/err")"

# Tests all operations of the mode `arrays` on 50 numbers each, once of 1 limb and once of 9 limbs.
# The exponents of mod_pow/4 have a quarter of the bits of the numbers.
arrays=add,mul,mullo,sqr,mod_mul,mod_sqr,mod_pow,mod_pow/4,mod_pow_sec,mod_inv,gcd,tdiv_qr,poly
run_bench 0 arrays -b none --quick --count 50 --sizes 64,520 -o $arrays --csv "$work/none4.csv"
well_formed "$work/none4.csv"
for column in gmp malloc device; do
    [ "$(right "$work/none4.csv" $column)" -eq 26 ] || fail "arrays, $column: $(cat "$work/none4.csv")"
done
[ "$(grep -c 'on the host$' "$work/out")" -eq 26 ] || fail "arrays without a device: $(cat "$work/out")"
run_bench 2 arrays -b none --quick --library "$work/none.so"
grep -q "without the library: $work/none.so" "$work/err" || fail "arrays without a library: $(cat "$work/err")"

# With --seconds 0, each round computes one operation.  The descriptors 3 to 99 are in use, so
# mpgpu-bench must move the descriptors of its clients.
# shellcheck disable=SC2016 # bash's own $
occupied='n=3; while [ $n -lt 100 ]; do eval "exec $n</dev/null"; n=$((n + 1)); done; exec "$@"'
if command -v bash >/dev/null 2>&1; then
    bash -c "$occupied" bash "$bench" threads -b none --seconds 0 --sizes 10:10 -o mul --threads 2 \
        --csv "$work/none3.csv" >"$work/out" 2>"$work/err" || fail "descriptors: $(cat "$work/err")"
else
    run_bench 0 threads -b none --seconds 0 --sizes 10:10 -o mul --threads 2 --csv "$work/none3.csv"
fi
for column in threads-2 gmp-threads-2 ratio-threads-2; do
    [ "$(right "$work/none3.csv" $column)" -eq 1 ] || fail "no time, $column: $(cat "$work/none3.csv")"
done
! grep -qi -e nan -e inf "$work/none3.csv" || fail "a round of no time: $(cat "$work/none3.csv")"

# Prints the numbers of the processes that process $1 has started, in ascending order.
children() {
    grep -ls "^PPid:[[:space:]]*$1\$" /proc/[0-9]*/status | tr -cd '0-9\n' | sort -n
}

# Starts mpgpu-bench with three processes for the library and three for GMP alone, and waits until
# their first round.  Sets $controller, and $clients to the six processes.
begin_round() {
    timeout 60 "$bench" threads -b none --seconds 40 --sizes 14:14 -o mul --processes 3 \
        >"$work/out" 2>"$work/err" &
    limit=$! tries=0 clients=
    while [ "$(echo "$clients" | wc -w)" -lt 6 ]; do
        [ $tries -lt 200 ] || fail "no six clients: $(cat "$work/err")"
        tries=$((tries + 1))
        sleep 0.1
        controller=$(children $limit)
        [ -z "$controller" ] || clients=$(children "$controller")
    done
    sleep 1
}

# Checks that all processes of $clients have ended.
all_have_ended() {
    for tries in 1 2 3 4 5 6 7 8 9 10; do
        running=
        for client in $clients; do
            ! grep -qs '^State:[[:space:]]*[^ZX[:space:]]' "/proc/$client/status" ||
                running="$running $client"
        done
        [ -n "$running" ] || return 0
        sleep 0.5
    done
    fail "after $1: processes run on:$running"
}

# If a client is killed, all others must end.  If the controller is killed, all clients must end.
begin_round
kill -KILL "$(echo "$clients" | sed -n 2p)"
status=0
wait $limit || status=$?
[ $status -eq 2 ] && grep -q 'threads: process [0-9]* has failed' "$work/err" ||
    fail "a client was killed: exit status $status: $(cat "$work/err")"
all_have_ended 'a client was killed'
begin_round
kill -KILL "$controller"
wait $limit || :
all_have_ended 'mpgpu-bench was killed'

# Runs mpgpu-bench with bad arguments $2...: it must print a message that contains $1, and measure
# nothing.
bad() {
    text=$1
    shift
    run_bench 2 "$@"
    grep -q -e "$text" "$work/err" || fail "mpgpu-bench $*: no '$text' in: $(cat "$work/err")"
    [ ! -s "$work/out" ] || fail "mpgpu-bench $*: measured all the same"
}
bad 'unknown mode: colour' colour
bad "colour" --colour
bad 'greater than TO: 20:14' 20 14
bad 'FROM:TO' --sizes 1:2
bad 'FROM TO: not a number from 6 to 37: fifteen' 14 fifteen
bad 'FROM TO: not a number from 6 to 37: 3$' 3
bad 'the mode comes before all else: check' -d 99 check
bad 'argument too many: 16' 14 15 16
bad 'from 2^6 to 2^37, .*: 2^99' --sizes 2^99
bad 'from 2^6 to 2^37, .*: 1000,,2000' --sizes 1000,,2000
bad '--operations' --operations div
bad '--operations' --operations sqr/2
bad '--columns' --columns gmp,link,warp
bad '--runs' --runs 0
bad '--seconds' --seconds -1
bad '--columns' check --columns device
bad '--factor' smoothness --factor 1
bad '--threads' threads --threads 2,x
bad '65' threads --threads 65
bad '0,2' threads --processes 0,2
bad '1,2,3,4,5,6,7,8,9' threads --processes 1,2,3,4,5,6,7,8,9
bad 'mul,mul/4,sqr,div: bnm1' threads --operations bnm1
bad 'div/2' threads --operations div/2
bad 'mul,batch' threads --operations mul,batch
bad 'threads takes one, malloc or pool' threads --columns device
bad 'arrays takes gmp, malloc and device' arrays --columns pool
bad 'mod_pow/4' arrays --operations bnm1
bad 'gcd/2' arrays --operations gcd/2
bad '--count' arrays --count 0
bad 'not a whole number: 2.9' --runs 2.9
bad "too long: cache:/tmp/$(printf '%0300d' 0)" --conf "cache:/tmp/$(printf '%0300d' 0)"
bad 'backend' --backend vulkan

# A file that cannot be written is reported before anything is measured.
bad '/nonexistent/file: No such' -b none --quick --csv "$work/nonexistent/file" 10 10

# ---- tests on each backend

need_opencl_or_cuda
for backend in $(backends); do
    run_bench 0 -b "$backend" --quick --sizes 10:15 -o mul,mul/3,sqr,bnm1,bnp1,add \
        --csv "$work/table.csv"
    well_formed "$work/table.csv"
    columns=$(awk -F, 'NR > 1 && !seen[$6]++ { print $6 }' "$work/table.csv")
    for column in $columns; do
        [ "$(right "$work/table.csv" "$column")" -eq 36 ] ||
            fail "$backend, $column: $(grep ",$column,ms" "$work/table.csv")"
    done
    [ "$(echo "$columns" | wc -l)" -eq 6 ] || fail "columns: $columns"
    run_bench 0 smoothness -b "$backend" --quick --sizes 64,66 --factor 1.001 -c malloc # another size each
    run_bench 0 "smoothness" -b "$backend" --quick --sizes 12:13 -c malloc,device --csv -
    [ "$(right "$work/out" worst-malloc)" -eq 1 ] && [ "$(right "$work/out" worst-device)" -eq 1 ] ||
        fail "smoothness: $(cat "$work/out")"
    # The statistics of the clients must report calls on the device.
    run_bench 0 threads -b "$backend" --conf mul:32,sqr:32,watchdog:600,stats:text --seconds 0.05 \
        --sizes 12:12 --threads 1,3 --processes 2 --csv -
    for column in threads-1 threads-3 processes-2 gmp-threads-1 gmp-threads-3 gmp-processes-2; do
        [ "$(right "$work/out" $column)" -eq 3 ] || fail "threads, $column: $(cat "$work/out")"
    done
    [ "$(grep -c ',ratio-[a-z]*-[123],ratio,' "$work/out")" -eq 9 ] || fail "no ratios: $(cat "$work/out")"
    grep -q '^lowest ratio: ' "$work/err" || fail "no lowest ratio: $(cat "$work/err")"
    [ "$(sent "$work/err")" -gt 100 ] || fail "the device was not used: $(cat "$work/err")"
    run_bench 0 threads -b "$backend" -c malloc --conf stats:text --quick -o mul --sizes 12:12 --threads 1
    run_bench 0 check -b "$backend" --quick 14 --csv -
    [ "$(grep -c ',check,percent,' "$work/out")" -eq 1 ] || fail "check: $(cat "$work/out")"
    run_bench 0 devices -b "$backend" --quick 14 --csv -
    [ "$(grep -c ',share,ratio,' "$work/out")" -eq 1 ] &&
        [ "$(right "$work/out" all-devices)" -eq 1 ] || fail "devices: $(cat "$work/out")"
    run_bench 0 memory -b "$backend" 18 --csv -
    awk -F, '$6 == "device-memory" && $8 > 0.1 && $12 == "right" { found = 1 } END { exit !found }' \
        "$work/out" || fail "memory: $(cat "$work/out")"
    run_bench 0 crossover -b "$backend" --quick -o mul 15 --csv -
    [ "$(right "$work/out" crossover-malloc)" -eq 1 ] || fail "crossover: $(cat "$work/out")"
    run_bench 0 check -b "$backend" -c pool --quick 14 --csv -
    [ "$(right "$work/out" verify:device)" -eq 1 ] || fail "check in the pool: $(cat "$work/out")"
    run_bench 0 digit -b "$backend" --quick --sizes 2^14,2^20,100032 --csv -
    [ "$(right "$work/out" product)" -eq 3 ] && [ "$(right "$work/out" copy)" -eq 3 ] ||
        fail "digit: $(cat "$work/out")"
    run_bench 0 transform -b "$backend" --quick --sizes 24:25 --csv -
    [ "$(right "$work/out" forward)" -eq 2 ] || fail "transform: $(cat "$work/out")"
    run_bench 0 algorithms -b "$backend" --quick -o mul,bnp1 -c pool --sizes 2^15 --csv -
    for algorithm in ntt ssa block fft auto; do
        [ "$(right "$work/out" "pool:$algorithm")" -eq 2 ] ||
            fail "algorithms: $algorithm: $(cat "$work/out" "$work/err")"
    done
    run_bench 0 fft -b "$backend" --quick --total 13 --sizes 2^10,960,7000,4374 --csv -
    # The mode fft accepts three of these lengths. Each is measured with four kinds of values (real
    # or complex, float or double), which gives 12 results. Two lengths are measured again in
    # batches of 2^13 values, which gives 8 more.
    [ "$(right "$work/out" fft)" -eq 20 ] || fail "fft: $(cat "$work/out" "$work/err")"
    run_bench 0 arrays -b "$backend" --conf batch:1,watchdog:600 --quick --count 20 --sizes 2^8 -o $arrays --csv -
    for column in gmp malloc device; do
        [ "$(right "$work/out" $column)" -eq 13 ] || fail "arrays, $column: $(cat "$work/out" "$work/err")"
    done
    ! grep -q 'on the host$' "$work/err" || fail "arrays: not on the device: $(cat "$work/err")"
    run_bench 0 fixed -b "$backend" --seconds 0.03 --csv -
    [ "$(right "$work/out" device)" -eq 4 ] && [ "$(right "$work/out" device-set)" -eq 4 ] &&
        [ "$(right "$work/out" host)" -eq 4 ] || fail "fixed: $(cat "$work/out")"
    run_bench 0 largest -b "$backend" -o mul,sqr,mul/7 17 --csv -
    [ "$(right "$work/out" malloc)" -eq 3 ] || fail "largest: $(cat "$work/out")"
done
