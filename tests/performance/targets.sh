#!/bin/sh
# SPDX-License-Identifier: LGPL-3.0-or-later
# Measures the performance targets on this machine, and prints a table.  Each line has the target,
# the measured value, and the times of GMP or of the link between host and device in the same run.
# Usage: targets.sh BUILD_DIR [ROW]...
#   BUILD_DIR a build tree after `make check`, or a bundle (`make device-bundle`)
#   ROW a row that --list prints; by default all rows that fit the machine
# ROW_SECONDS=200: a row that takes longer has failed.
# TARGETS_QUICK=1: measures products up to 2^20 bits only, for a test of this script.
# The table is written to targets.md in $OUT or targets/, with all figures as CSV files beside it.
# A row that misses its target is no failure. A row that could not be measured, or had a wrong
# result, is a failure.
set -u
here=$(cd "$(dirname "$0")" && pwd)
. "$here/targets_rows.sh"
. "$here/targets_programs.sh"
. "$here/../support/nvidia_opencl.sh"

if [ "${1-}" = --list ]; then
    list_rows
    exit 0
fi
if [ ! -x "${1:-/nonexistent}/tools/mpgpu-bench" ]; then
    echo 'Usage: targets.sh BUILD_DIR [ROW]... (targets.sh --list: the rows)' >&2
    exit 2
fi
build=$(cd "$1" && pwd)
shift
for row; do
    list_rows | grep -q "^$row " || {
        echo "targets.sh: unknown row: $row (targets.sh --list names them)" >&2
        exit 2
    }
done
mkdir -p "${OUT:=targets}"
OUT=$(cd "$OUT" && pwd)
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
bench=$build/tools/mpgpu-bench
library=$build/.libs/libmpgpu-gmp.so.0
export XDG_CONFIG_HOME="$work"
mkdir "$work/mpgpu-gmp"
echo server:off >"$work/mpgpu-gmp/mpgpu.conf" # measures the device without a server in between
unset MPGPU_CONF LD_PRELOAD
[ -d "$build/lib" ] && export LD_LIBRARY_PATH="$build/lib${LD_LIBRARY_PATH:+:$LD_LIBRARY_PATH}"

nvidia_opencl_only "$work/icd" "$build/tools/mpgpu-info"

# Prints the device that is measured.
describe() {
    MPGPU_CONF=backend:$1 "$build/tools/mpgpu-info" | awk '
        /^device in use/ { found = 1 } found == 1 && /^  / { sub(/^ */, ""); print; exit }'
}
device=$(describe cuda)
backend=cuda
if [ -z "$device" ]; then
    device=$(describe auto)
    backend=auto
fi
case $device in
'') kind='missing one' ;;
*'(the CPU)'*) kind=cpu ;;
*) kind=gpu ;;
esac
host=malloc
"$bench" --help | grep -q '^  pool ' && host=pool

table=$OUT/targets.md
gmp=$("$build/tools/mpgpu-info" | awk '/^  version/ { print $2; exit }')
{
    echo "$(date -u +%Y-%m-%d), $(uname -n): ${device:-no device}; GMP $gmp, $(nproc) CPUs,"
    echo "$(sed -n 's/^model name[^:]*: //p' /proc/cpuinfo | head -n 1); operands \"in the pool\" are in the memory of column $host."
    echo
    echo '| row | what | target | measured | met | beside it |'
    echo '| --- | --- | --- | --- | --- | --- |'
} | tee "$table"

failed=0
rows=${*:-$(list_rows | awk '{ print $1 }')}
for row in $rows; do
    if fits "$row" "$kind" || [ $# -gt 0 ]; then
        start=$(date +%s)
        ahead "$row"
        "row_$row" || {
            tell "$row" "$(what "$row")" - FAILED - "see the logs beside this"
            failed=$((failed + 1))
        }
        echo "$row: $(($(date +%s) - start)) s" >>"$OUT/seconds"
    else
        tell "$row" "$(what "$row")" - skipped - "not for this machine: its device is a $kind"
    fi
done
[ -z "${alone_pid-}" ] || wait "$alone_pid"
echo "$failed rows failed; table in $table, figures beside it"
[ "$failed" -eq 0 ]
