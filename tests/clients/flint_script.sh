# SPDX-License-Identifier: LGPL-3.0-or-later
# shellcheck shell=sh disable=SC2154
# Runs Python scripts that use the wheel of python-flint, by $python.  Test scripts source this
# after common.sh.

# check_flint_script [ARGUMENT]...: runs $work/script.py alone and under preload.  The output must
# be the same, and products of FLINT's own functions must be sent to the device.
check_flint_script() {
    "$python" "$work/script.py" "$@" >"$work/alone" || fail "the script fails without this library"
    for backend in $(backends); do
        "$run" --backend "$backend" --wait --threshold 100 --stats --conf watchdog:600 \
            "$python" "$work/script.py" "$@" >"$work/$backend" 2>"$work/stats" || {
            cat "$work/stats"
            fail "exit status $? under preload"
        }
        cat "$work/stats"
        same "$work/alone" "$work/$backend"
        awk '$2 == "flint_mpn_mul" && $4 > 0 { found = 1 } END { exit !found }' "$work/stats" ||
            fail "no product of FLINT's was sent"
    done
}
