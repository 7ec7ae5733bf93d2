#!/bin/sh
# SPDX-License-Identifier: LGPL-3.0-or-later
# Checks mpgpu-info with each kind of libgmp: it must report correctly whether GMP's inner calls can
# be intercepted. The test program itself calls no intercepted function.
. "$(dirname "$0")/../support/common.sh"
. "$(dirname "$0")/../clients/clients.sh"

# Prints how many calls are intercepted while GMP compares two rationals.  These are calls from
# inside GMP.
inner_calls() {
    "$run" --backend "$1" --wait --stats --conf "$small" "$builddir/tests/programs/rationals" \
        2>&1 >/dev/null | awk '$2 ~ /^mp[nz]_/ { sum += $3 } END { print sum + 0 }'
}

libgmp_kinds >"$work/kinds"
cat "$work/kinds"
while read -r kind folder; do
    LD_LIBRARY_PATH=$folder${LD_LIBRARY_PATH:+:$LD_LIBRARY_PATH}
    export LD_LIBRARY_PATH
    MPGPU_CONF=backend:none "$builddir/tools/mpgpu-info" >"$work/info"
    grep -q "^  library $folder/libgmp" "$work/info" || fail "not the $kind libgmp: $(cat "$work/info")"
    says=cannot
    [ "$kind" = symbolic ] || says=can
    grep -q "^  inner calls $says be" "$work/info" || fail "mpgpu-info says otherwise of the $kind libgmp"
    for backend in $present; do
        calls=$(inner_calls "$backend")
        echo "$kind libgmp, $backend: $calls inner calls"
        case $kind in
        open) [ "$calls" -gt 0 ] || fail "no inner call" ;;
        symbolic) [ "$calls" -eq 0 ] || fail "inner calls" ;;
        esac
    done
done <"$work/kinds"

for arguments in '' /nonexistent "$work/info $work/copy"; do
    status=0
    # shellcheck disable=SC2086 # split on purpose
    "$builddir/tests/programs/symbolic" $arguments 2>"$work/err" || status=$?
    [ $status -eq 2 ] && [ -s "$work/err" ] || fail "symbolic $arguments: status $status"
done
