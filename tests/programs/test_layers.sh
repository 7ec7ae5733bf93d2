#!/bin/sh
# SPDX-License-Identifier: LGPL-3.0-or-later
# Checks the layers of the sources (the folders listed below).  No #include and no call may
# go from a lower layer to a higher one.  Few modules may call one another in a circle, and folders,
# files and functions must be small.
# Each check prints the violations, beginning with FILE:LINE, and then one line.
. "$(dirname "$0")/../support/common.sh"
[ -d "$srcdir/lib/base" ] || skip 'no sources here'

# The layers from the lowest to the highest: a layer may use itself and the layers before it.
layers='include
kernels/common kernels/check kernels/sums kernels/radix kernels/fixed kernels/fft kernels/ntt kernels/ssa kernels/small kernels/batch kernels/modular kernels/matrix kernels/trees kernels/poly kernels
gpu
lib/base lib/process lib/dispatch lib/memory lib/transfer lib/device lib/fft lib/multiply lib/modular lib/matrix lib/selftest lib/fixed lib/expression lib/calc lib/trees lib/session lib/gmp
lib/operate lib/job lib/algorithms
compat/intercept compat/libc compat/mpn compat/mpz compat/mpq compat/mpf compat/stdio compat/flint compat/batch compat/matrix compat/number compat/trees compat/fixed compat/poly
tools examples tests'

# Permitted calls from a lower to a higher layer: regular expressions of the called file and
# function, and the reason.
cat >"$work/allowed" <<'TEXT'
/called.c$    ^__gmp[nz]_         GMP's own function: called.c only finds libgmp's
^compat/libc/ ^(exit|sigaction|clone|_Fork|prctl)$  libc's name, which the library catches for the program
TEXT

cd "$srcdir" || exit
# Selects sources written by hand: generated sources have no licence in their first line.
find include kernels gpu lib compat tools examples tests \
    \( -name '*.[ch]' -o -name '*.cl' -o -name '*.cc' \) \
    -exec awk 'FNR == 1 && /SPDX/ { print FILENAME } { nextfile }' {} + | sort >"$work/sources"
grep -E '^(kernels|gpu|lib|compat)/' "$work/sources" >"$work/of_library"

# Functions of awk: layer() returns the layer of a file, up() whether a use goes to a higher layer.
# shellcheck disable=SC2016 # awk's own $
order="$(echo "$layers" | tr ' ' '\n' | awk '{ print "BEGIN { place[\"" $0 "\"] = " NR " }" }')"'
function layer(file,   part, count, two) {
    count = split(file, part, "/")
    two = part[1] "/" part[2]
    return count > 2 && two in place ? two : part[1]
}
function up(from, to) { return place[layer(to)] > place[layer(from)] }'

# Prints the verdict of check $1, whose violations are in $work/found.
broken=0
verdict() {
    if [ -s "$work/found" ]; then
        sort -u "$work/found"
        echo "FAILED: $1: $(sort -u "$work/found" | wc -l)"
        broken=1
    else
        echo "passed: $1"
    fi
}

# A header of this project must be included by its path from the top; only config.h comes from the
# build.
xargs awk "$order"'
function wrong(why) { print FILENAME ":" FNR ": " why ": " $0 }
/^ *# *include *"/ && !/"config\.h"/ {
    split($0, quoted, "\"")
    to = quoted[2]
    if (!(layer(to) in place)) wrong("no path from the top")
    else if (up(FILENAME, to)) wrong("goes up")
    else if (FILENAME ~ /^lib\// && to ~ /^gpu\// && to !~ /^gpu\/(gpu|futex|host\/pages)\.h$/) wrong("not the face of gpu/")
    else if (FILENAME ~ /^compat\// && to ~ /^(gpu|kernels)\//) wrong("compat/ uses no device")
    else if (FILENAME ~ /^gpu\// && to ~ /^kernels\// && to !~ /\.def$/) wrong("gpu/ has lists of kernels only")
}' <"$work/sources" >"$work/found"
verdict 'no #include goes up'

# Examples must use only what programs outside of this package can use.
grep '^examples/' "$work/sources" | xargs awk '
/^ *# *include/ && !/"(config\.h|examples\/[^"]*)"/ && !/<[^>\/]*>|<sys\/[^>]*>/ { print FILENAME ":" FNR ": " $0 }' >"$work/found"
find examples -name Makemodule.am -exec grep -nE 'libmpgpu\.la|libcompat|\$\((COMPAT|LDADD)\)' {} + >>"$work/found" || true
verdict 'examples include mpgpu.h, GMP and the system alone, and link the library'

# Names of backend $1's driver, which match $2, may occur only in the backend's own files and in
# comments.
driver_names() {
    grep -E '^(gpu|lib|compat)/' "$work/sources" | grep -v "^gpu/$1" |
        xargs grep -nE "(^|[^A-Za-z0-9_\"/])($2)\b" | grep -vE ':[0-9]+: *(/\*|\*) ' >"$work/found" || true
    verdict "only gpu/$1* names $1's functions and types"
}
driver_names cuda 'CU[a-z]+|CU_[A-Z_]+|CUDA_(SUCCESS|ERROR)[A-Z_]*|cu[A-Z][A-Za-z]+'
driver_names opencl 'cl_[a-z]+|CL_[A-Z_]+|cl[A-Z][A-Za-z]+'

sed 's|/[^/]*$||' "$work/sources" | sort | uniq -c | sort -n |
    awk '{ print } $1 > 40 { print $2 ": " $1 " source files, more than 40" >"/dev/stderr" }' \
        2>"$work/found" | awk 'END { print "largest folder: " $2 ", " $1 " source files" }'
verdict 'a folder has at most 40 source files'

# Headers are not counted in the median length: a header is as long as its interface.
grep -v '\.h$' "$work/of_library" |
    xargs awk 'FNR == 1 && NR > 1 { print lines } { lines = FNR } END { print lines }' |
    sort -n >"$work/lines"
median=$(awk '{ lines[NR] = $1 } END { print lines[int((NR + 1) / 2)] }' "$work/lines")
echo "median file: $median lines"
[ "$median" -ge 60 ] && [ "$median" -le 200 ] && : >"$work/found" || echo "$median lines" >"$work/found"
verdict 'the median .c or .cl file has 60 to 200 lines'

# A function consists of the lines between a line that ends in ") {" and the next "}" in column 0.
xargs awk '
FNR == 1 { begin = 0 }
begin && /^}/ { print FNR - begin - 1, FILENAME ":" begin; begin = 0 }
!begin && /^[^#].*\) \{$/ { begin = FNR }' <"$work/sources" | sort -n >"$work/functions"
awk '{ lines[NR] = $1 } END {
    most = lines[int(NR * 0.9 + 0.999)]
    print NR " functions, 90 % of at most " most " lines; the longest: " $2 ", " $1
    if (most > 18) print "10 % have " most " lines or more" >"/dev/stderr"
}' "$work/functions" 2>"$work/found"
verdict '90 % of the functions have at most 18 lines'

# Lists each use of a function or variable as "FROM TO NAME", from the object files.  Ignores object
# files whose source does not exist any more.
cd "$builddir" || exit
find gpu lib compat -path '*/.libs/*.o' -exec "${NM:-nm}" -A -P -g {} + | awk '
FNR == NR { source[$1]; next }
{
    from = $1
    sub(/:$/, "", from)
    sub(/\.libs\/([a-z]+_la-)?/, "", from)
    sub(/\.o$/, ".c", from)
}
!(from in source) { next }
$3 ~ /^[TDBRVW]$/ { home[$2] = from }
$3 == "U" { use[from " " $2] }
END {
    for (one in use) {
        split(one, word)
        if (word[2] in home) print word[1], home[word[2]], word[2]
    }
}' "$work/of_library" - >"$work/uses"
[ -s "$work/uses" ] || fail "no objects of the library in $builddir"

awk "$order"'
FNR == NR { files[NR] = $1; names[NR] = $2; lines = NR; next }
!up($1, $2) { next }
{
    for (i = 1; i <= lines; i++) if ($2 ~ files[i] && $3 ~ names[i]) next
    print $1 ": uses " $3 " of " $2 ", which is above it"
}' "$work/allowed" "$work/uses" >"$work/found"
verdict 'no call goes up'

# The library has two sides: the engine, which uses devices, and the program's side. The files in
# the list `both` belong to neither side. Both sides use these files, which must not refer to a
# device.
engine='^(gpu|lib/(device|fft|multiply|modular|matrix|selftest|fixed|expression|calc|trees|session|transfer|operate))/|^lib/job/(engine|far_job|recipe|batch_recipes|numbers_steps)'
both='^gpu/host/
^lib/calc/calc(_(check|cut|divide|factor|fibonacci|form|newton|reciprocal|root|sqrt))?[.]c
^lib/device/(limbs_residue|tables_modulus)[.]c
^lib/expression/expression[.]c
^lib/fixed/(mandelbrot_host|words_[a-z0-9]+)[.]c
^lib/job/recipe_(divide|power|powm|root)[.]c
^lib/operate/first_reciprocal[.]c
^lib/session/flint_found[.]c
^lib/transfer/(caller_memory|far|staging_chunks)[.]c
^lib/trees/tree_(plan|sizes)[.]c'

# The engine's interface: the headers and names that the program's side may use.
cat >"$work/interface" <<'TEXT'
gpu/gpu.h                            gpu_error_text gpu_has_driver gpu_is_thread gpu_set_build_notice gpu_stop
gpu/gpu.h                            gpu_served_keep gpu_served_map gpu_served_part gpu_served_unmap
lib/job/engine.h                     engine_bnm1_size engine_is_small engine_run engine_run_several engine_run_staged
lib/session/session.h                session_ask_device session_bind session_bound session_devices session_devices_of_group
lib/session/session.h                session_is_usable session_least_used
lib/session/session.h                session_describe session_fault session_look session_ready session_wait
lib/session/session.h                session_expect session_expect_filter session_init session_add_gmp_time session_defers_contact session_say_missing
lib/session/report/stats_report.h    stats_report stats_report_nothing
TEXT
awk '{ for (i = 2; i <= NF; i++) print $1, $i }' "$work/interface" >"$work/names"
while read -r header name; do
    grep -qw "$name" "$srcdir/$header" || echo "$header does not declare $name"
done <"$work/names" >"$work/found"
awk -v engine="$engine" -v both="$(echo "$both" | paste -sd '|' -)" '
function is_engine(file) { return file ~ engine && file !~ both }
FNR == NR { listed[$2]; next }
is_engine($1) || !is_engine($2) { next }
{ crosses[$3] }
!($3 in listed) { print $1 ": uses " $3 " of " $2 ", which is no interface of the engine" }
END { for (name in listed) if (!(name in crosses)) print name " crosses no more: take it from the list" }
' "$work/names" "$work/uses" >>"$work/found"
echo "the program's side uses $(wc -l <"$work/names") names of the engine"
verdict "the program's side links without the engine but for its interface"

# Finds modules that call one another in a circle, by the transitive closure of their uses.
awk '
$1 ~ /^lib\// && $2 ~ /^lib\// && $1 != $2 { module[$1]; module[$2]; reach[$1, $2] }
END {
    for (k in module) for (i in module) if ((i, k) in reach)
        for (j in module) if ((k, j) in reach) reach[i, j]
    for (i in module) {
        size = 0
        circle = ""
        for (j in module) if ((i, j) in reach && (j, i) in reach) { size++; circle = circle " " j }
        if (size > largest) { largest = size; members = circle }
    }
    print "largest circle: " largest + 0 " modules" members
    if (largest > 3) print largest " modules call one another" >"/dev/stderr"
}' "$work/uses" 2>"$work/found"
verdict 'at most three modules of lib/ call one another in a circle'
exit $broken
