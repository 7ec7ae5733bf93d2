#!/bin/sh
# SPDX-License-Identifier: LGPL-3.0-or-later
# Compares the manual pages with the code, in both directions: functions, constants, options of
# programs, keys of options and profiles, environment variables, exit codes.
. "$(dirname "$0")/../support/common.sh"
pages=$srcdir/doc
header=$srcdir/include/mpgpu.h
[ -f "$pages/mpgpu-gmp.7" ] || skip "no manual pages here"
LC_ALL=C
export LC_ALL
wrong=0

# Reports names that are in only one of the lists $1.code and $1.pages.
compare() {
    for list in code pages; do
        sort -u "$work/$1.$list" >"$work/sorted" && mv "$work/sorted" "$work/$1.$list"
        [ -s "$work/$1.$list" ] || fail "$1: nothing found in the $list"
    done
    if ! diff "$work/$1.code" "$work/$1.pages" >"$work/diff"; then
        sed -n "s/^< /$1: not in the pages: /p; s/^> /$1: only in the pages: /p" "$work/diff"
        wrong=1
    fi
    echo "$1: $(wc -l <"$work/$1.code") in the code, $(wc -l <"$work/$1.pages") in the pages"
}

# Prints section $2 of manual page $1.
section() {
    awk -v title="$2" '/^\.SH / { on = substr($0, 5) == title; next } on' "$1"
}

# Removes roff escapes and font changes from standard input.
plain() {
    sed 's/\\f[BIRP]//g; s/\\-/-/g; s/\\&//g; s/\\e/\\/g'
}

# Prints the tags of the entries in section $2 of page $1: the lines after .TP, without macro and
# quotes.
tags() {
    section "$1" "$2" | awk 'tag { print; tag = 0 } /^\.TP/ { tag = 1 }' | sed 's/^\.[A-Z]* //; s/"//g' | plain
}

# ---- names of functions and constants: in mpgpu.h, and in the sections NAME and SYNOPSIS

# Prints each function prototype without white space, from a C header or from a SYNOPSIS.
prototypes() {
    awk '/^[a-z][a-z_ ]*[ *]mpgpu_[a-z0-9_]*\(/ { on = 1; text = "" }
        on { text = text $0 }
        on && /;/ { sub(/;.*/, "", text); gsub(/[ \t]/, "", text); print text; on = 0 }'
}

synopsis() {
    section "$1" SYNOPSIS | awk '
        /^\.BI / {
            line = substr($0, 5)
            text = ""
            while (match(line, /^ *("[^"]*"|[^ "]+)/)) {
                word = substr(line, RSTART, RLENGTH)
                line = substr(line, RSTART + RLENGTH)
                gsub(/^ *"?|"$/, "", word)
                text = text word
            }
            print text
            next
        }
        /^\.B / { gsub(/^\.B "?|"$/, ""); print; next }'
}

prototypes <"$header" >"$work/functions.code"
for page in "$pages"/*.3; do
    synopsis "$page" | prototypes
done >"$work/functions.pages"
sort "$work/functions.pages" | uniq -d >"$work/twice"
[ ! -s "$work/twice" ] || fail "in two pages: $(cat "$work/twice")"
compare functions

sed -n 's/^[a-z][a-z_ ]*[ *]\(mpgpu_[a-z0-9_]*\)(.*/\1/p' "$header" >"$work/names.code"
sh "$pages/names.sh" "$pages" 3 | sed 's/.* //' >"$work/names.pages"
compare names

# Each constant must be explained in a section other than SYNOPSIS.
sed 's,/\*.*,,' "$header" | grep -o 'MPGPU_[A-Z_]*' | grep -v '^MPGPU_H$' >"$work/constants.code"
for page in "$pages"/*.3; do
    awk '/^\.SH / { on = $2 != "SYNOPSIS" } on' "$page" | plain | grep -o 'MPGPU_[A-Z_]*' | grep -v '^MPGPU_CONF$' || true
done >"$work/constants.pages"
compare constants

# Every page of section 3 must have these sections and subsections.
for page in "$pages"/*.3; do
    for title in NAME SYNOPSIS DESCRIPTION 'RETURN VALUE' ERRORS EXAMPLES 'SEE ALSO'; do
        grep -qx "\.SH \"*$title\"*" "$page" || fail "$page has no section $title"
    done
    for title in Units Ownership Threads Blocking; do
        grep -qx "\.SS $title" "$page" || fail "$page does not tell $title"
    done
done

# ---- programs: options in --help and in the section OPTIONS; exit codes

options_in() {
    grep -oE '(^|[^A-Za-z0-9_-])--?[a-z][a-z-]*' | grep -oE -- '--?[a-z][a-z-]*$' |
        grep -E -- '^(-[a-z]|--[a-z].*)$'
}

report=mpgpu-bench-report
command -v python3 >/dev/null 2>&1 || { echo "skipped: options of $report: python3 is not installed"; report=; }
for program in mpgpu-run mpgpu-info mpgpu-serve mpgpu-tune mpgpu-bench $report batch-gcd mandelbrot; do
    binary=$builddir/tools/$program
    [ -x "$binary" ] || binary=$srcdir/tools/bench/$program
    [ -x "$binary" ] || binary=$builddir/examples/$program/$program
    if [ ! -x "$binary" ]; then
        echo "skipped: options of $program: it is not built"
        continue
    fi
    "$binary" --help >"$work/help" || fail "$program --help: status $?"
    options_in <"$work/help" | sed "s/^/$program /"
    tags "$pages/$program.1" OPTIONS | options_in | sed "s/^/$program /" >>"$work/options.pages"
done >"$work/options.code"
compare options
"$builddir/tools/mpgpu-bench" --help | sed -n '/^Modes:/,/^$/s/^  \([a-z]*\) .*/\1/p' >"$work/modes.code"
tags "$pages/mpgpu-bench.1" MODES >"$work/modes.pages"
compare modes

# Runs a program, which must end with exit status $2. Records $2, because the section EXIT STATUS of
# its page $1 must list this code. It must also list every code in the program's main file.
returns() {
    page=$1
    code=$2
    shift 2
    status=0
    timeout 60 "$@" >"$work/returned" 2>&1 </dev/null || status=$?
    [ "$status" -eq "$code" ] || fail "$*: status $status, not $code: $(cat "$work/returned")"
    echo "$page $code" >>"$work/codes.code"
}

tools=$builddir/tools
none="env MPGPU_CONF=backend:none,server:off"
empty=$work/runtime
mkdir -m 700 "$empty"
: >"$work/file"
for code in 0 3; do
    returns mpgpu-run $code "$tools/mpgpu-run" sh -c "exit $code"
done
sed -i '/mpgpu-run 3/d' "$work/codes.code" # the program's own
returns mpgpu-run 125 "$tools/mpgpu-run" --unknown
returns mpgpu-run 126 "$tools/mpgpu-run" "$work/file"
returns mpgpu-run 127 "$tools/mpgpu-run" "$work/absent"
# shellcheck disable=SC2086 # split on purpose
{
    returns mpgpu-info 0 $none "$tools/mpgpu-info"
    returns mpgpu-info 1 $none "$tools/mpgpu-info" --build
    returns mpgpu-info 2 "$tools/mpgpu-info" --unknown
    returns mpgpu-serve 0 "$tools/mpgpu-serve" --version
    returns mpgpu-serve 1 env XDG_RUNTIME_DIR="$empty" "$tools/mpgpu-serve" --list
    returns mpgpu-serve 2 "$tools/mpgpu-serve" --unknown
    returns mpgpu-tune 0 "$tools/mpgpu-tune" --version
    returns mpgpu-tune 2 "$tools/mpgpu-tune" --unknown
    returns mpgpu-tune 3 $none "$tools/mpgpu-tune" --dry-run
    returns mpgpu-bench 0 "$tools/mpgpu-bench" --version
    returns mpgpu-bench 2 "$tools/mpgpu-bench" --unknown
    returns mpgpu-bench 3 $none "$tools/mpgpu-bench" memory
}
echo "mpgpu-bench 1" >>"$work/codes.code" # a wrong result
programs="mpgpu-run mpgpu-info mpgpu-serve mpgpu-tune mpgpu-bench $report"
if [ -n "$report" ]; then
    returns $report 0 "$srcdir/tools/bench/$report" --help
    returns $report 2 "$srcdir/tools/bench/$report" --unknown
fi
gcd=$builddir/examples/batch-gcd/batch-gcd
drawer=$builddir/examples/mandelbrot/mandelbrot
if [ -x "$gcd" ]; then
    returns batch-gcd 0 "$gcd" --help
    returns batch-gcd 1 "$gcd" "$work/absent"
    returns batch-gcd 2 "$gcd" --unknown
    programs="$programs batch-gcd"
fi
if [ -x "$drawer" ]; then
    returns mandelbrot 0 "$drawer" --help
    returns mandelbrot 1 "$drawer" --backend none --size 8x8 --output "$work/absent/file"
    returns mandelbrot 2 "$drawer" --unknown
    programs="$programs mandelbrot"
fi
sources() {
    case $1 in
    mpgpu-run) ls "$srcdir"/tools/run/*.[ch] ;;
    mpgpu-serve) ls "$srcdir"/tools/serve/mpgpu-serve*.c ;;
    mpgpu-bench-report) ;;
    mpgpu-*) ls "$srcdir/tools/$1.c" ;;
    esac
}
for program in $programs; do
    for file in $(sources "$program"); do
        # Finds exit codes in the forms `return 1`, `exit(1)` and `NO_DEVICE = 3`, and the codes of
        # an enum that begins with DONE.
        sed -n 's/^enum { DONE, \(.*\) };/\1/p' "$file" | tr ',' '\n' | sed "s/.*/$program/" | cat -n | awk '{ print $2, $1 }'
        grep -ohE '(^| )(return|_?exit\(|(RUN_[A-Z_]*|NO_DEVICE) =) ?[0-9]+' "$file" |
            grep -oE '[0-9]+$' | sed "s/^/$program /" || true
    done >>"$work/codes.code"
    tags "$pages/$program.1" 'EXIT STATUS' | grep -oE '^[0-9]+' | sed "s/^/$program /" >>"$work/codes.pages" || true
done
compare codes

# ---- keys

sed -n 's/^KEY(\([a-z_]*\),.*/\1/p' "$srcdir/lib/base/conf.def" >"$work/keys.code"
tags "$pages/mpgpu-gmp.7" OPTIONS | tr -d ' ' | tr ',' '\n' >"$work/keys.pages"
compare keys

# Each value that an option's key may have must be in the entry for the key in the manual page.
sed -n 's/^KEY(\([a-z_]*\), [A-Z]*, [^"]*\("[a-z]*", \)\{0,1\}"\([a-z0-9 ]*\)".*/\1 \3/p' "$srcdir/lib/base/conf.def" |
    while read -r key words; do
        section "$pages/mpgpu-gmp.7" OPTIONS | plain | awk -v key="$key" '
            tag { on = 0; n = split($0, w, /[ ",]+/); for (i = 1; i <= n; i++) on = on || w[i] == key; tag = 0 }
            /^\.TP/ { tag = 1; on = 0 } on' >"$work/entry"
        for word in $words; do
            grep -qw -- "$word" "$work/entry" || echo "mpgpu-gmp(7): $key does not name its value $word"
        done
    done >"$work/values"
[ ! -s "$work/values" ] || fail "$(cat "$work/values")"

{
    sed -n 's/^THRESHOLD(\([a-z_]*\),.*/\1/p' "$srcdir/lib/base/profile.def"
    cat "$srcdir"/lib/base/profile_*.c | tr -d '\n" ' | grep -o 'profile_[a-z]*_names[^;]*={[^}]*}' | sed 's/.*{//; s/}//' | tr ',' '\n'
    sed -n 's/.*strcmp(key, "\([a-z_]*\)") == 0.*/\1/p' "$srcdir/lib/base/profile_parse.c"
} >"$work/profiles.code"
tags "$pages/mpgpu-gmp.7" PROFILES | tr -d ' ' | tr ',' '\n' >"$work/profiles.pages"
compare profiles

# ---- environment: variables that sources read or set, and the ENVIRONMENT sections

grep -rlE '\b(get|set|unset)env\b' "$srcdir"/lib "$srcdir"/gpu "$srcdir"/compat "$srcdir"/tools --include='*.[ch]' |
    while read -r file; do
        grep -ohE '"[A-Z][A-Z0-9]*(_[A-Z0-9]+)+=?"|getenv\("[A-Z]+"\)|setenv\("[A-Z]+"' "$file" || true
    done | grep -oE '[A-Z][A-Z0-9_]+' >"$work/variables.code"
for page in "$pages"/mpgpu-*.[17]; do
    tags "$page" ENVIRONMENT | grep -oE '[A-Z][A-Z0-9_]+' || true
done >"$work/variables.pages"
compare variables

[ $wrong -eq 0 ] || fail "the pages differ from the code"
