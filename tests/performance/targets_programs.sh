# SPDX-License-Identifier: LGPL-3.0-or-later
# shellcheck shell=sh disable=SC2154 # bench, build, library, backend, host, work, table
# Rows of tests/performance/targets.sh that run programs.  targets.sh sources this file.

row_below() {
    status=0
    sh "$here/instructions.sh" "$build" >"$OUT/below.log" 2>&1 || status=$?
    if [ $status -eq 77 ]; then
        tell below 'calls below the threshold' '12 instructions' - - "$(cat "$OUT/below.log")"
        return 0
    fi
    [ $status -eq 0 ] || return 1
    tell below 'functions entered below the threshold, the worst' '12 instructions' \
        "$(sort -k 6 -g "$OUT/below.log" | tail -n 1 | awk '{ print $6 }')" \
        "$(awk '$6 > 12 { over++ } END { print over ? "no" : "yes" }' "$OUT/below.log")" \
        "calls of the program, with the functions of the library that GMP enters inside: $(
            awk '{ printf "%s%s %+d in %d", NR > 1 ? ", " : "", $1, $4, $5 }' "$OUT/below.log")"
}

# Runs the command "$@" and prints its milliseconds.
milliseconds() {
    begin=$(date +%s%N)
    "$@" >/dev/null 2>&1 || return 1
    end=$(date +%s%N)
    awk "BEGIN { printf \"%.1f\", ($end - $begin) / 1e6 }"
}

# Prints the first quartile, the median and the third quartile of column $2 of file $1.
quartiles() {
    awk -v column="$2" '{ print $column }' "$1" | sort -g | awk '
        { x[NR] = $1 } END { print x[int((NR + 3) / 4)], x[int((NR + 1) / 2)], x[NR + 1 - int((NR + 3) / 4)] }'
}

row_run() {
    small=$build/tests/performance/small
    for _ in 1 2 3 4 5 6 7 8 9 10 11 12 13 14 15; do
        alone=$(milliseconds "$small") || return
        with=$(LD_PRELOAD=$library milliseconds "$small") || return
        echo "$alone $with"
    done >"$OUT/run.log"
    alone=$(quartiles "$OUT/run.log" 1) with=$(quartiles "$OUT/run.log" 2)
    # shellcheck disable=SC2086 # three numbers each
    set -- $alone $with
    more=$(value "100 * ($5 - $2) / $2") noise=$(value "100 * ($3 - $1) / $2")
    tell run 'a run of 300,000 calls with small numbers' 'no measurable change' "$more %" \
        "$(met "$more" "($noise > 1 ? $noise : 1)")" \
        "alone $2 ms (quartiles $1 to $3), under preload $5 ms ($4 to $6)"
}

# Times composite operations, each under preload and with GMP alone.  Operations that would take
# longer than 25 s are omitted.
row_composite() {
    operations=$build/tests/performance/operations
    timeout "${ROW_SECONDS:-300}" "$operations" 25 1e6 1e7 1e8 1e9 >"$OUT/composite.alone" &
    pid=$!
    MPGPU_CONF=backend:$backend,open:wait,stats:text LD_PRELOAD=$library \
        "$operations" 25 1e6 1e7 1e8 1e9 >"$OUT/composite.with" 2>"$OUT/composite.log" && wait $pid || return
    paste "$OUT/composite.alone" "$OUT/composite.with" >"$OUT/composite"
    awk '$3 != "-" && $9 != "-" && $4 != $10 { print "different results: " $0; wrong = 1 } END { exit wrong }' "$OUT/composite" ||
        return
    while read -r name bits alone _ _ _ _ _ with _; do
        tell composite "$name, $bits bits" - "$with ms" - "GMP $alone ms"
    done <"$OUT/composite"
}

# Computes pi to $1 digits with GMP alone into $work/pi.$1.alone, and writes the seconds to
# $work/pi.$1.seconds.
pi_alone() {
    begin=$(date +%s%N)
    "$build/examples/pi" -o "$work/pi.$1.alone" "$1" || return
    echo $((($(date +%s%N) - begin) / 1000000))e-3 >"$work/pi.$1.seconds"
}

# Computing pi to 10^8 digits with GMP alone takes a hundred seconds. So with at least 8 CPUs, this
# function starts it in the background when row $1 begins. It does so only if $1 is smooth, pi7 or
# pi8: the load would disturb other rows.
ahead() {
    case $1 in
    smooth | pi7 | pi8) ;;
    *) return ;;
    esac
    case " $rows " in
    *pi8*) ;;
    *) return ;;
    esac
    if [ -z "${alone_pid-}" ] && [ "$(nproc)" -ge 8 ] && fits pi8 "$kind"; then
        pi_alone 100000000 &
        alone_pid=$!
    fi
}

# Prints row $1: the time of pi to $2 digits under preload and alone.
pi_row() {
    begin=$(date +%s%N)
    MPGPU_CONF=backend:$backend,open:wait,stats:text LD_PRELOAD=$library \
        "$build/examples/pi" -o "$work/pi.with" "$2" 2>"$OUT/$1.log" || return
    seconds=$((($(date +%s%N) - begin) / 1000000))e-3
    if [ "$1" = pi8 ] && [ -n "${alone_pid-}" ]; then
        wait "$alone_pid"
    fi
    [ -s "$work/pi.$2.seconds" ] || pi_alone "$2" || return
    cmp "$work/pi.$2.alone" "$work/pi.with" >>"$OUT/$1.log" 2>&1 || return
    # The columns of the statistics: calls, sent, limbs, seconds on the device, uploading, in
    # kernels, downloading, and in GMP.
    shares=$(awk -v total="$seconds" '
        $1 == "mpgpu:" && $2 ~ /^mp[fnqz]_/ { device += $6; kernels += $8; gmp += $10 }
        END { total += 0
            printf "%.0f %% in calls on the device (%.0f %% in kernels), %.0f %% in others at or above the thresholds, %.0f %% elsewhere",
                100 * device / total, 100 * kernels / total, 100 * gmp / total, 100 * (total - device - gmp) / total }' "$OUT/$1.log")
    alone=$(cat "$work/pi.$2.seconds")
    tell "$1" "pi to $2 digits under preload" 'time and share' "$(value "$seconds") s" - \
        "GMP alone $(value "$alone") s; $shares"
}

row_pi7() {
    pi_row pi7 10000000
}

row_pi8() {
    pi_row pi8 100000000
}

row_largest() {
    run_bench largest largest -b "$backend" -c malloc 36 || {
        tail -n 3 "$OUT/largest.log" >&2
        return 1
    }
    tell largest '2^36-bit operands, result of 2^31 - 1 limbs' 'works, right' \
        "$(value "$(figure largest mul 36 malloc) / 1000") s" yes \
        "into fresh memory $(value "$(figure largest mul 36 fresh) / 1000") s; residues modulo a random number right; GMP not run (a quarter of an hour)"
}
