# SPDX-License-Identifier: LGPL-3.0-or-later
# shellcheck shell=sh disable=SC2154 # bench, build, library, backend, host, work, table
# The rows of tests/performance/targets.sh, which sources this file: a function for each row, here
# or in targets_programs.sh.  The function prints lines of the table by `tell`.  It returns nonzero
# if a figure could not be measured or a result was wrong.

# Lists the rows in the order in which they are measured: name, machine (gpu, cpu, any), what is
# measured.
list_rows() {
    cat <<'ROWS'
small      gpu  products of 2^16, 2^18, 2^20 bits, host to host
link       gpu  products from 2^24 bits on over the time of the link
device     gpu  a product of 2^30 bits and a square of 2^26 on the device
crossover  gpu  the size from which on the device is faster than GMP
check      gpu  what the default check costs
memory     gpu  device memory for operands of 2^30 bits
threads    gpu  products a second by several threads
opencl     gpu  OpenCL beside CUDA
transform  gpu  transforms of 2^10 to 2^12 coefficients modulo B^P + 1, and a product of 100 Mbit by them
digit      gpu  a number in redundant digits by one digit, beside a copy
smooth     gpu  time(1.1 n) over time(n)
pocl       cpu  a CPU as the device beside GMP
below      any  instructions of calls below the threshold
run        any  a run of small numbers
composite  gpu  composite operations of 10^6 to 10^9 bits
pi7        any  pi to 10^7 digits
pi8        gpu  pi to 10^8 digits
figures    gpu  the table and the plot of products in doc/measurements/programs.md
largest    gpu  operands of 2^36 bits
ROWS
}

what() {
    list_rows | awk -v row="$1" '$1 == row { $1 = $2 = ""; sub(/^ */, ""); print }'
}

fits() {
    machine=$(list_rows | awk -v row="$1" '$1 == row { print $2 }')
    [ "$machine" = any ] || [ "$machine" = "$2" ]
}

# Appends a line to the table: row, what, target, measured value, met (yes, no, -), values for
# comparison.
tell() {
    echo "| $1 | $2 | $3 | $4 | $5 | $6 |" | tee -a "$table"
}

# Runs mpgpu-bench with arguments $2... for at most $ROW_SECONDS.  Writes $OUT/$1.csv and
# $OUT/$1.log.
run_bench() {
    name=$1
    shift
    timeout "${ROW_SECONDS:-200}" "$bench" "$@" --csv "$OUT/$name.csv" >"$OUT/$name.log" 2>&1
}

# Prints the median of operation $2 in column $4 of $OUT/$1.csv, or "none".  $3 is the size: log2 of
# the bits, or the number of bits.
figure() {
    awk -F, -v operation="$2" -v log_bits="$3" -v column="$4" '
        $1 == operation && ($2 == 2 ^ log_bits || $2 == log_bits) && $6 == column && $12 == "right" { found = $8 }
        END { print found == "" ? "none" : found + 0 }' "$OUT/$1.csv"
}

# Prints the value of an awk expression, or "none" if one of its figures is missing.
value() {
    case " $* " in
    *' none '*) echo none ;;
    *) awk "BEGIN { printf \"%.4g\", $* }" ;;
    esac
}

# Prints "yes" if $1 is at most $2, otherwise "no"; with ">=" as $3, if $1 is at least $2. Prints
# "-" if $1 is none.
met() {
    if [ "$1" = none ]; then
        echo -
    else
        awk "BEGIN { print ($1 ${3:-<=} $2) ? \"yes\" : \"no\" }"
    fi
}

# Measures products once, for several rows and for the table of doc/measurements/programs.md.
products() {
    [ -z "${has_products-}" ] || return 0
    columns=gmp,malloc,fresh,device,link
    [ "$host" = malloc ] || columns=$columns,$host
    # On a CPU or in a test of this script, the exact figures matter little, so the run is short.
    if [ "$kind" = cpu ] || [ -n "${TARGETS_QUICK-}" ]; then
        run_bench products -b "$backend" -c "$columns" --quick --sizes 2^16,2^18,2^20 || return
    else
        run_bench products -b "$backend" -c "$columns" --seconds 0.2 \
            --sizes 2^14,2^16,2^18,2^20,2^22,2^24,2^26,2^28,2^30 || return
    fi
    has_products=1
}

row_small() {
    products || return
    for pair in 16:0.04 18:0.06 20:0.12; do
        n=${pair%:*} target=${pair#*:}
        ms=$(figure products mul "$n" "$host")
        tell small "2^$n bits, host to host" "$target ms" "$ms ms" "$(met "$ms" "$target")" \
            "GMP $(figure products mul "$n" gmp), malloc $(figure products mul "$n" malloc), device $(figure products mul "$n" device), link $(figure products mul "$n" link) ms"
    done
}

# Prints a row of the table for a product of 2^$1 bits with operands in memory of the kind $2, a
# column of mpgpu-bench.  The figure is the product's time divided by the time of its transfers; the
# target is $3.
over_link() {
    ms=$(figure products mul "$1" "$2") link=$(figure products mul "$1" link)
    ratio=$(value "$ms / $link")
    tell link "2^$1 bits, $2" "$3 times the link" "$ratio" "$(met "$ratio" "$3")" \
        "$ms ms, link $link, GMP $(figure products mul "$1" gmp), device $(figure products mul "$1" device) ms"
}

row_link() {
    products || return
    over_link 24 "$host" 2.0
    over_link 26 "$host" 1.5
    over_link 28 "$host" 1.35
    over_link 30 "$host" 1.35
    for n in 26 28 30; do
        over_link $n malloc 2.0
    done
}

row_device() {
    products && run_bench square -b "$backend" -o sqr -c gmp,"$host",device,link 26 26 || return
    ms=$(figure products mul 30 device)
    tell device 'product of 2^30 bits on the device' '4 ms' "$ms ms" "$(met "$ms" 4)" \
        "GMP $(figure products mul 30 gmp), link $(figure products mul 30 link) ms"
    ms=$(figure square sqr 26 device)
    tell device 'square of 2^26 bits on the device' '0.20 ms' "$ms ms" "$(met "$ms" 0.2)" \
        "GMP $(figure square sqr 26 gmp), $host $(figure square sqr 26 "$host"), link $(figure square sqr 26 link) ms"
}

# Prints the row of operation $1 from $OUT/crossover.csv: the size from which the device is faster.
# $2 is the target in bits.
cross() {
    limbs=$(awk -F, -v operation="$1" '
        $1 == operation && $6 ~ /^crossover-/ && $12 == "right" && $8 > 0 { print $8 }' "$OUT/crossover.csv")
    bits=$(value "${limbs:-none} * 64")
    met=$(met "$bits" "${2:-0}")
    [ -n "$limbs" ] || met=no bits='more than 2^24'
    [ -n "${2-}" ] || met=-
    tell crossover "$1, $host" "${2:+$2 bits}" "$bits bits" "$met" "${limbs:-no} limbs"
}

row_crossover() {
    run_bench crossover crossover -b "$backend" -c "$host" -o mul,sqr,bnm1 --seconds 0.05 24 || return
    cross mul 65536
    cross sqr ''
    cross bnm1 ''
}

row_check() {
    run_bench check check -b "$backend" -c "$host" -o mul,bnm1,bnp1 --seconds 0.3 --sizes 2^22,2^24,2^26,2^28 || return
    for operation in mul bnm1 bnp1; do
        for n in 22 24 26 28; do
            percent=$(figure check $operation $n check)
            tell check "$operation, 2^$n bits, $host" '5 % of the time' "$percent %" "$(met "$percent" 5)" \
                "unchecked $(figure check $operation $n verify:off), checked $(figure check $operation $n verify:device) ms"
        done
    done
}

row_memory() {
    run_bench memory memory -b "$backend" -o mul,sqr 30 || return
    mib=$(figure memory mul 30 device-memory)
    tell memory '2^30-bit operands' '3 GiB' "$mib MiB" "$(met "$mib" 3072)" \
        "a square $(figure memory sqr 30 device-memory) MiB"
}

row_threads() {
    run_bench threads threads -b "$backend" -c "$host" -o mul --threads 1,2,4 --sizes 2^20,2^22,2^24,2^26 || return
    for n in 20 22 24 26; do
        one=$(figure threads mul $n threads-1) two=$(figure threads mul $n threads-2)
        ratio=$(value "$two / $one")
        tell threads "2^$n bits, 2 threads over 1" 'not below 1 (0.97: noise)' "$ratio" "$(met "$ratio" 0.97 '>=')" \
            "$one, $two, $(figure threads mul $n threads-4) a second by 1, 2, 4; GMP $(figure threads mul $n gmp-threads-4) by 4"
    done
}

row_opencl() {
    run_bench opencl -b opencl -c "$host",device --seconds 0.1 --sizes 2^22,2^24,2^26,2^28 &&
        run_bench opencl-cuda -b "$backend" -c "$host",device --seconds 0.1 --sizes 2^22,2^24,2^26,2^28 || return
    for n in 22 24 26 28; do
        for column in "$host" device; do
            opencl=$(figure opencl mul $n "$column") cuda=$(figure opencl-cuda mul $n "$column")
            ratio=$(value "$opencl / $cuda")
            tell opencl "2^$n bits, $column" "1.25 times CUDA's" "$ratio" "$(met "$ratio" 1.25)" \
                "OpenCL $opencl, CUDA $cuda ms"
        done
    done
}

# Of $OUT/$1.csv.
digit_lines() {
    for n in 28 30 33; do
        share=$(figure "$1" digit $n share)
        tell digit "2^$((n - 5)) words by one digit, $2" '85 % of the copy' "$share %" "$(met "$share" 85 '>=')" \
            "$(figure "$1" digit $n product) ms, copy $(figure "$1" digit $n copy) ms"
    done
}

row_digit() {
    run_bench digit digit -b "$backend" --seconds 0.05 && digit_lines digit "$backend" || return
    [ "$backend" = auto ] || { run_bench digit-opencl digit -b opencl --seconds 0.05 && digit_lines digit-opencl OpenCL; }
}

# Measures transforms and products with backend $1, and prints their lines.  $2 is the backend's
# name in the table.
transform_lines() {
    run_bench "transform-$1" transform -b "$1" --seconds 0.1 &&
        run_bench "ssa-$1" -b "$1" --conf algorithm:ssa -o mul -c device --sizes 100614144 || return
    ms=$(figure "transform-$1" 4096x4096 29 forward)
    tell transform "4096 x 4096, $2" '0.25 ms' "$ms ms" "$(met "$ms" 0.25)" \
        "$(figure "transform-$1" 4096x4096 29 share) % of the bandwidth of a copy, which takes $(figure "transform-$1" 4096x4096 29 copy) ms; the page 357 ms"
    for shape in 2048x2048:27 2048x4096:28 4096x2048:28 4096x4096:29; do
        moved=$(figure "transform-$1" "${shape%:*}" "${shape#*:}" moved)
        tell transform "passes of ${shape%:*}, $2" '3 times its bytes each way' "$moved" "$(met "$moved" 3)" \
            "$(figure "transform-$1" "${shape%:*}" "${shape#*:}" forward) ms"
    done
    ms=$(figure "ssa-$1" mul 100614144 device)
    tell transform "100614144 bits by ssa on the device, $2" '2 ms' "$ms ms" "$(met "$ms" 2)" "the page's CPU 1300 ms"
}

row_transform() {
    name=$backend
    [ "$name" != auto ] || name=opencl
    transform_lines "$name" "$name" && { [ "$name" = opencl ] || transform_lines opencl OpenCL; }
}

row_smooth() {
    run_bench smooth smoothness -b "$backend" -c "$host" --seconds 0.03 16 30 || return
    ratio=$(awk -F, '$6 ~ /^worst-/ { print $8 + 0 }' "$OUT/smooth.csv")
    at=$(awk -F, '$6 ~ /^worst-/ { print $2 }' "$OUT/smooth.csv")
    tell smooth "time(1.1 n) / time(n), $host" '1.25' "$ratio" "$(met "$ratio" 1.25)" \
        "worst at $at bits; above 1.25: $(awk -F, '$6 ~ /^step-/ && $8 > 1.25' "$OUT/smooth.csv" | wc -l) of $(grep -c ',step-' "$OUT/smooth.csv")"
}

# Draws the table and plots of doc/measurements/programs.md.  Without matplotlib only the table is
# written; products.csv has the figures for the plots.
row_figures() {
    products || return
    report=$here/../../tools/bench/mpgpu-bench-report drawn='bench.md, bench.svg, bench.png'
    "$report" "$OUT/products.csv" >"$OUT/bench.md" || return
    "$report" "$OUT/products.csv" --plot "$OUT/bench.svg" --plot "$OUT/bench.png" || drawn=bench.md
    tell figures 'table and plot of products' - "$(($(wc -l <"$OUT/products.csv") - 1)) figures" - \
        "products.csv; $drawn"
}

row_pocl() {
    run_bench pocl -b opencl -o mul -c gmp,"$host",device --runs 3 --sizes 2^24,2^26 || return
    for pair in 24:1 26:1.5; do
        n=${pair%:*} target=${pair#*:}
        gmp_ms=$(figure pocl mul "$n" gmp) ms=$(figure pocl mul "$n" "$host")
        ratio=$(value "$gmp_ms / $ms")
        tell pocl "2^$n bits on the CPU" "$target times GMP's speed" "$ratio" "$(met "$ratio" "$target" '>=')" \
            "GMP $gmp_ms, $host $ms, device $(figure pocl mul "$n" device) ms; $(nproc) CPUs"
    done
}
