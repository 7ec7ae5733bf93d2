#!/bin/sh
# SPDX-License-Identifier: LGPL-3.0-or-later
# doc/measurements/ratios.py and programs.py: pictures of tables of times, for light and dark pages.
. "$(dirname "$0")/../support/common.sh"
need_command python3
export PYTHONDONTWRITEBYTECODE=1
pages=$srcdir/doc/measurements

# Draws table $2 by script $1 for light pages and for dark ones: $work/light.svg, $work/dark.svg.
draw() {
    python3 "$pages/$1" "$2" >"$work/light.svg" || fail "$1: exit status $?"
    python3 "$pages/$1" --dark "$2" >"$work/dark.svg" || fail "$1 --dark: exit status $?"
    for page in light dark; do
        python3 -c 'import sys, xml.dom.minidom as x; x.parse(sys.argv[1])' "$work/$page.svg" || fail "$1, $page: no XML"
    done
    ! cmp -s "$work/light.svg" "$work/dark.svg" || fail "$1: dark pages have no colours of their own"
    grep -v '#[0-9a-f]\{6\}' "$work/light.svg" >"$work/light.rest"
    grep -v '#[0-9a-f]\{6\}' "$work/dark.svg" >"$work/dark.rest"
    same "$work/light.rest" "$work/dark.rest"
}

# The picture of table $2 in the documents is the one that script $1 draws.
drawn() {
    draw "$1" "$pages/$2"
    same "$work/light.svg" "$pages/${2%.*}.svg"
    same "$work/dark.svg" "$pages/${2%.*}-dark.svg"
    for word in NVIDIA 20[0-9][0-9]- memory; do
        grep -q "class=\"small\".*$word" "$work/light.svg" || fail "$2: the caption does not name $word"
    done
}

# Script $1 refuses table $work/in, and says $2.
refused() {
    ! python3 "$pages/$1" "$work/in" >"$work/out" 2>"$work/err" || fail "$1 draws a table without figures"
    grep -q "$2" "$work/err" || fail "$1: $(cat "$work/err")"
}

# Names of curves: from the fastest down.
printf '%s\n' '# H100, <date>' operation,bits,gmp_ms,with_ms slow,1024,1,1 slow,4096,4,1 'a <fast>,2048,9,1' \
    'a <fast>,4096,90,1' >"$work/in"
draw ratios.py "$work/in"
grep -o '>[^<]*([0-9]*)<' "$work/light.svg" | tr -d '<>' >"$work/names"
printf '%s\n' 'a &lt;fast&gt; (90)' 'slow (4)' >"$work/right"
same "$work/right" "$work/names"
grep -q '>H100, &lt;date&gt;<' "$work/light.svg" || fail 'no caption'

# Programs: the shortest first; three marks each, and three in the legend.
printf '%s\n' '# H100' '| bits | products | GMP, ms | none | cold | warm |' '| ---: | ---: | ---: | ---: | ---: | ---: |' \
    '| 1000000 | 20 | 83.0 | 104.0 ! | 98.0 ! | 18.8 |' '| 65536 | 1 | 2.5 | 2.9 | 2.9 | 3.2 ! |' >"$work/in"
draw programs.py "$work/in"
grep -o '>[^<]*bits, [0-9][^<]*<' "$work/light.svg" | tr -d '<>' >"$work/names"
printf '%s\n' '2^16 bits, 1 product' '10^6 bits, 20 products' >"$work/right"
same "$work/right" "$work/names"
[ "$(grep -c '<rect\|<circle' "$work/light.svg")" -eq 9 ] || fail 'marks are missing'

drawn ratios.py ratios-h200.csv
drawn programs.py programs-h100.txt

echo operation,bits,gmp_ms,with_ms >"$work/in"
refused ratios.py 'no figures'
refused programs.py 'no figures'
for script in ratios.py programs.py; do
    ! python3 "$pages/$script" >"$work/out" 2>"$work/err" || fail "$script without a table"
    grep -q "$script \[--dark\] FILE" "$work/err" || fail "$script without a table: $(cat "$work/err")"
done
