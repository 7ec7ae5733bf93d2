#!/bin/sh
# SPDX-License-Identifier: LGPL-3.0-or-later
# shellcheck disable=SC2154 # the suite sets title and version
# Runs test suites of other projects twice: with GMP alone, and with the library preloaded and
# options that send nearly all operations to the device. Downloads and builds each suite first.
# Usage: suites.sh [--prepare] BUILD_DIR SUITE... | --list
# Prints a table row for each suite; --prepare only downloads and builds. Each suite is a file
# NAME.sh beside this script. Exit status 1 if a test fails that passes with GMP alone, if no call
# was sent, or if no test passed.
#
# Variables, with their defaults: OUT (suites-work) is the folder of downloads, builds, logs and the
# file `table`. BACKEND (auto) and OPTIONS (the suite's own) are the library's. SECONDS_EACH (600)
# limits the time of a command. JOBS (2) is the number of parallel jobs of a build. SUITES names
# another folder of suites. ROOT=1 permits to install Debian packages. MIRROR is Debian's archive.
set -eu
here=$(cd "$(dirname "$0")" && pwd)
suites=${SUITES:-$here}
everything=mul:1,sqr:1,mulmod:1,add:1

refuse() {
    echo "suites.sh: $1" >&2
    echo 'Usage: suites.sh [--prepare] BUILD_DIR SUITE... | --list' >&2
    exit 2
}

names() {
    for file in "$suites"/*.sh; do
        name=$(basename "$file" .sh)
        case $name in suites | test_*) ;; *) echo "$name" ;; esac
    done
}

# ---- for prepare() of a suite, which runs in the suite's folder

# Fails unless these Debian packages are installed.  Installs them if ROOT is set.
packages() {
    missing=
    for package; do
        dpkg-query -W -f '${Status}' "$package" 2>/dev/null | grep -q 'ok installed' || missing="$missing $package"
    done
    [ -n "$missing" ] || return 0
    [ -n "${ROOT-}" ] || refuse "$name needs Debian's packages$missing (or ROOT=1, to install them)"
    # shellcheck disable=SC2086 # a list of words
    DEBIAN_FRONTEND=noninteractive apt-get -qq -y install --no-install-recommends $missing
}

# Downloads the upstream sources of Debian's package $1 (NAME=VERSION), of Debian 12 or 13, and
# unpacks them into the folder `tree`.
source_of() {
    packages dpkg-dev debian-archive-keyring
    mkdir -p "$OUT/apt/lists/partial" "$OUT/apt/cache/archives/partial"
    for release in bookworm trixie; do
        echo "deb-src [signed-by=/usr/share/keyrings/debian-archive-keyring.gpg] ${MIRROR:-http://deb.debian.org/debian} $release main"
    done >"$OUT/apt/sources.list"
    : >"$OUT/apt/no-parts"
    apt_get() {
        apt-get -qq -o Dir::Etc::sourcelist="$OUT/apt/sources.list" -o Dir::Etc::sourceparts=/dev/null \
            -o Dir::State::lists="$OUT/apt/lists" -o Dir::Cache="$OUT/apt/cache" -o APT::Sandbox::User=root "$@"
    }
    [ -n "$(find "$OUT/apt/lists" -name '*Sources*')" ] || apt_get update
    rm -rf tree
    mkdir -p tree
    apt_get --tar-only --download-only source "$1"
    tar -x --strip-components=1 -C tree -f "$(find . -maxdepth 1 -name '*.orig.tar.*[!c]' | head -n 1)"
}

# Installs Python packages into $OUT/python, which all suites share.
from_pip() {
    [ -x "$OUT/python/bin/python3" ] || python3 -m venv "$OUT/python"
    "$OUT/python/bin/pip" -q install "$@"
}

# ---- for run() of a suite

# Runs a command with GMP alone, or under preload if $mode is `with`. The end of this script sets
# $mode.
under() {
    case $mode in
    alone) timeout "$SECONDS_EACH" "$@" ;;
    with)
        # shellcheck disable=SC2086 # a list of words
        timeout "$SECONDS_EACH" "$build/tools/mpgpu-run" --backend "$BACKEND" --wait ${replace-} \
            --conf "$options,dispatch:fixed,watchdog:600,stats_file:$folder/stats.jsonl" "$@"
        ;;
    esac
}

# Runs the command $2... and prints PASS, SKIP (exit status 77), TIME or FAIL with the name $1.
outcome() {
    label=$1
    shift
    status=0
    "$@" >>"$folder/$mode.log" 2>&1 || status=$?
    case $status in
    0) echo "PASS $label" ;;
    77) echo "SKIP $label" ;;
    124) echo "TIME $label" ;;
    *) echo "FAIL $label" && echo "FAIL $label: exit status $status" >>"$folder/$mode.log" ;;
    esac
}

# Runs the test programs in the folders "$@", each in its own folder, because it may read files
# there. Omits the programs named in $without; if $only is set, runs only the programs named in
# $only.
programs() {
    find "$@" -type f -perm -u+x | sort | while read -r file; do
        program=$(basename "$file")
        echo "${only:-$program}" | grep -qw -e "$program" || continue
        ! echo "$without" | grep -qw -e "$program" || continue
        [ "$(head -c 4 "$file" | tail -c 3)" = ELF ] || continue
        (cd "$(dirname "$file" | sed 's|/\.libs$||')" && outcome "$program" under "$folder/$file" </dev/null)
    done
}

# Runs pytest with the arguments "$@". With CI set, Hypothesis has no time limits and fixed seeds.
pytest_in() {
    export CI=true
    under "$OUT/python/bin/python3" -m pytest -q -p no:cacheprovider -p no:randomly -rA --no-header --tb=short "$@" \
        >>"$folder/$mode.log" 2>&1 || true
    sed -n 's/^PASSED \([^ ]*\).*/PASS \1/p; s/^FAILED \([^ ]*\).*/FAIL \1/p; s/^ERROR \([^ ]*\).*/FAIL \1/p' "$folder/$mode.log"
}

# Runs a script of tests that prints Perl's TAP format.  Each line of results is one test of the
# suite.
tap() {
    label=$1
    shift
    status=0
    under "$@" >"$folder/tap" 2>>"$folder/$mode.log" || status=$?
    sed -n "s|^ok \\([0-9]*\\).*|PASS $label \\1|p; s|^not ok \\([0-9]*\\).*|FAIL $label \\1|p" "$folder/tap"
    grep -q '^1\.\.' "$folder/tap" || echo "FAIL $label: exit status $status"
}

# ---- the driver

prepare_once() {
    [ ! -e "$folder/prepared" ] || return 0
    echo "$name: downloads and builds ($folder/prepare.log)" >&2
    # In front of ||, `set -e` would have no effect inside prepare. So prepare runs in the
    # background.
    (cd "$folder" && prepare) >"$folder/prepare.log" 2>&1 </dev/null &
    wait $! || {
        tail -n 20 "$folder/prepare.log" >&2
        refuse "$name: cannot be prepared"
    }
    : >"$folder/prepared"
}

run_once() {
    mode=$1
    rm -f "$folder/$mode.log"
    start=$(date +%s)
    (cd "$folder" && run </dev/null) | sort -u >"$folder/$mode"
    echo "$name, $mode: $(grep -c . "$folder/$mode") tests, $(($(date +%s) - start)) s" >&2
}

# Prints the calls that the device computed, from the statistics of all processes.
calls_sent() {
    [ -e "$folder/stats.jsonl" ] || : >"$folder/stats.jsonl"
    grep -o '"sent": *[0-9]*' "$folder/stats.jsonl" | awk -F '[: ]+' '{ sum += $2 } END { printf "%d", sum }'
}

# Prints the tests that passed alone, and failed or were absent under preload.
worse() {
    grep '^PASS ' "$folder/alone" | sort | comm -23 - "$folder/with"
}

run_suite() {
    rm -f "$folder/stats.jsonl"
    run_once alone
    run_once with
    sent=$(calls_sent)
    passed=$(grep -c '^PASS ' "$folder/with" || true)
    printf '| %s | %s | %d | %d | %d | %d | %s |\n' "$title" "$version" "$(grep -vc '^SKIP ' "$folder/with" || true)" \
        "$sent" "$(grep -Ec '^(FAIL|TIME) ' "$folder/alone" || true)" \
        "$(grep -Ec '^(FAIL|TIME) ' "$folder/with" || true)" "$(date +%Y-%m-%d)" | tee -a "$OUT/table"
    worse | sed "s/^PASS /$name: fails only under preload: /" >&2
    [ "$sent" -gt 0 ] || echo "$name: no call was sent" >&2
    [ -z "$(worse)" ] && [ "$sent" -gt 0 ] && [ "$passed" -gt 0 ]
}

case ${1-} in
--list)
    names
    exit
    ;;
--prepare)
    only_prepare=1
    shift
    ;;
esac
[ $# -ge 2 ] || refuse 'it takes a build folder and names of suites'
[ -x "$1/tools/mpgpu-run" ] || refuse "no build tree, without tools/mpgpu-run: $1"
build=$(cd "$1" && pwd)
shift
mkdir -p "${OUT:=suites-work}"
OUT=$(cd "$OUT" && pwd)
: "${BACKEND:=auto}" "${SECONDS_EACH:=600}" "${JOBS:=2}"
# The servers' sockets are in this folder, so that programs find no server that was started
# elsewhere.
XDG_RUNTIME_DIR=$(mktemp -d /tmp/mpgpu-suites.XXXXXX)
export XDG_RUNTIME_DIR LC_ALL=C.UTF-8
trap '"$build/tools/mpgpu-serve" --end >/dev/null 2>&1 || true; rm -rf "$XDG_RUNTIME_DIR"' EXIT
result=0
for name; do
    [ -f "$suites/$name.sh" ] || refuse "there is no suite $name; --list prints them"
    options=$everything replace='' only='' without=''
    # shellcheck disable=SC1090 # one of many files
    . "$suites/$name.sh"
    options=${OPTIONS:-$options}
    folder=$OUT/$name
    mkdir -p "$folder"
    prepare_once
    [ -n "${only_prepare-}" ] || run_suite || result=1
done
exit $result
