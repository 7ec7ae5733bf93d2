#!/bin/sh
# SPDX-License-Identifier: LGPL-3.0-or-later
# Runs the programs of another library's test suite (GMP's or MPFR's) under preload, with all
# thresholds at 1.  The suite must have been built before.  tests/suites/suites.sh also downloads and
# builds suites, and compares with GMP alone; this script needs no network.
# Usage: suite.sh BUILD_DIR SUITE_DIR
# Prints one line for each program: result, seconds, calls, calls sent to the device.  The
# environment has BACKEND (default auto), JOBS (1) and SECONDS_EACH (300).  Output goes to $OUT, or
# to suite-logs/ if OUT is not set.  Exit status 1 if a program failed or took too long, or if
# nothing was sent.
set -u

# Runs the command $2... under preload, and sends every operation to the device that the device
# supports.  $1 is the build folder.
send_all() {
    build=$1
    shift
    timeout "$SECONDS_EACH" "$build/tools/mpgpu-run" --backend "$BACKEND" --wait --threshold 1 --stats \
        --conf mulmod:1,add:1,watchdog:600 "$@"
}

# Runs one program in its own folder, because it may read data files there.  Prints its line.
run_program() {
    name=$(echo "${2#"$SUITE"/}" | tr / _)
    log=$OUT/$name.log
    start=$(date +%s)
    cd "$(dirname "$2")" || exit 1
    send_all "$1" "$2" >"$log" 2>&1 </dev/null
    case $? in
    0) word=PASS ;;
    77) word=SKIP ;;
    124) word=TIME ;;
    *) word=FAIL ;;
    esac
    awk -v word=$word -v name="$name" -v seconds=$(($(date +%s) - start)) '
        $1 == "mpgpu:" && $2 ~ /^mp[fnqz]_/ { calls += $3; sent += $4 }
        END { printf "%s: %s %d s, %d calls, %d sent\n", word, name, seconds, calls, sent }' "$log"
}

programs() {
    find "$SUITE" -type f -perm -u+x | sort | while read -r file; do
        [ "$(head -c 4 "$file" | tail -c 3)" != ELF ] || echo "$file"
    done
}

case ${1-} in
--program) # BUILD_DIR COMMAND...: runs one program in the same way, for other scripts
    shift
    send_all "$@"
    exit
    ;;
--line)
    run_program "$2" "$3"
    exit
    ;;
esac
refuse() {
    echo "suite.sh: $1" >&2
    echo 'Usage: suite.sh BUILD_DIR SUITE_DIR' >&2
    exit 2
}

[ $# -eq 2 ] || refuse 'it takes two folders'
[ -x "$1/tools/mpgpu-run" ] || refuse "no build tree, without tools/mpgpu-run: $1"
[ -d "$2" ] || refuse "no folder of a suite: $2"
build=$(cd "$1" && pwd)
SUITE=$(cd "$2" && pwd)
mkdir -p "${OUT:=suite-logs}"
OUT=$(cd "$OUT" && pwd)
: "${BACKEND:=auto}" "${JOBS:=1}" "${SECONDS_EACH:=300}"
export SUITE OUT BACKEND SECONDS_EACH
if ! MPGPU_CONF=backend:$BACKEND,watchdog:600 "$build/tools/mpgpu-info" | grep -q '^device in use'; then
    echo "skipped: no device (backend:$BACKEND)"
    exit 77
fi
self=$(cd "$(dirname "$0")" && pwd)/$(basename "$0")
programs | xargs -P "$JOBS" -n 1 sh "$self" --line "$build" | tee "$OUT/results"
awk '{ count[$1]++; calls += $5; sent += $7 } END {
    printf "%d programs: %d passed, %d failed, %d too long, %d skipped; %d calls, %d sent\n", NR,
        count["PASS:"], count["FAIL:"], count["TIME:"], count["SKIP:"], calls, sent
    exit count["FAIL:"] + count["TIME:"] + !sent > 0 }' "$OUT/results"
