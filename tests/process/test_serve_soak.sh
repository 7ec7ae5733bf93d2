#!/bin/sh
# SPDX-License-Identifier: LGPL-3.0-or-later
# MPGPU_TEST_CLIENTS (12) programs at a time connect to one mpgpu-serve, compute and exit, for
# MPGPU_TEST_SECONDS (10).  A quarter of them are killed at a random moment, some have children,
# some send invalid requests.  All others must get GMP's results from the server.  The server's
# memory and descriptors must not grow, and nothing of ended clients may stay.
. "$(dirname "$0")/../support/common.sh"
. "$srcdir/tests/support/serve.sh"
seconds=${MPGPU_TEST_SECONDS:-10}
clients=${MPGPU_TEST_CLIENTS:-12}
export POCL_DEVICES=basic

# Prints the arguments with which client $1 calls `served`.
words() {
    case $(($1 % 6)) in
    0) echo "products $1 20000 20" ;;
    1) echo "products $1 100000 10" ;;
    2) echo "products $1 400000 5" ;;
    3) echo "products $1 2000000 2" ;;
    4) echo "threads $1 50000 5 4" ;;
    5) echo "children $work/messages.$1 ${1}0 20000 5" ;;
    esac
}

# Prints a random number below $1.
any() {
    echo $(($(od -An -N2 -tu2 /dev/urandom) % $1))
}

# Records a failure of client $1 and ends its loop, which makes the test fail.
wrong() {
    echo "client $1: $2: $(cat "$work/out.$1" "$work/err.$1")" >"$work/wrong.$1"
    exit 1
}

# Runs client $1 once. One in four is killed after a random time, unless it has ended before.
come_and_go() {
    ends=
    [ "$(any 4)" -ne 0 ] || ends="timeout -s KILL 0.$(any 10)$(any 10)"
    status=0
    # shellcheck disable=SC2046,SC2086 # words
    client $ends "$served" $(words "$1") >"$work/out.$1" 2>"$work/err.$1" || status=$?
    if [ -n "$ends" ] && [ $status -ne 0 ]; then
        echo >>"$work/killed.$1"
        return
    fi
    [ $status -eq 0 ] || wrong "$1" "status $status"
    cmp "$work/alone.$1" "$work/out.$1" || wrong "$1" 'another output'
    (by_server "$work/err.$1") || wrong "$1" 'not by the server'
    echo >>"$work/whole.$1"
}

# Runs client $2 again and again until time $1. The last client sends invalid requests instead.
come_until() {
    while [ "$(date +%s)" -lt "$1" ]; do
        if [ "$2" -lt "$clients" ]; then
            come_and_go "$2"
        else
            timeout 60 "$rogue" nonsense "$(any 65536)" >"$work/out.$2" 2>"$work/err.$2" || wrong "$2" nonsense
            echo >>"$work/whole.$2"
            sleep 0.5
        fi
    done
}

# Prints the server's memory in KiB and its number of descriptors.
state() {
    echo "$(awk '/^VmRSS/ { print $2 }' "/proc/$pid/status") $(find "/proc/$pid/fd" | wc -l)"
}

for i in $(seq 0 $((clients - 1))); do
    mkdir -p "$work/messages.$i"
    # shellcheck disable=SC2046 # words
    "$served" $(words "$i") >"$work/alone.$i"
done
begin
until=$(($(date +%s) + seconds))
for i in $(seq 0 "$clients"); do
    come_until $until "$i" &
    loops="${loops-} $!"
done
: >"$work/states"
while [ "$(date +%s)" -lt $until ]; do
    state >>"$work/states"
    sleep 1
done
for loop in $loops; do
    wait "$loop" || fail "$(cat "$work"/wrong.*; tail -n 20 "$work/log")"
done
all_are_gone
whole=$(cat "$work"/whole.* | wc -l)
killed=$(cat "$work"/killed.* 2>/dev/null | wc -l)
echo "$whole programs ended, $killed were killed; the server's KiB and descriptors, in the end: $(state)"
[ "$whole" -gt "$clients" ] && [ "$killed" -gt 0 ] || fail 'too few to tell'
awk -v last="$(state)" 'NR > 1 { if ($1 > kib) kib = $1; if ($2 > files) files = $2 }
    END { split(last, now); print "the most at once:", kib, files; exit !(now[1] <= kib && now[2] <= files) }' \
    "$work/states" || fail "the server has more in the end than it had with $clients clients"
# In a long run the server must not use more memory in the second half than in the first. A short
# run has too few measurements for this comparison.
if [ "$seconds" -ge 60 ]; then
    awk -v half=$((seconds / 2)) 'NR > half { i = 1 } $1 > most[i + 0] { most[i + 0] = $1 }
        END { print "the most of either half:", most[0], most[1]; exit !(most[1] <= most[0] * 1.25 + 65536) }' \
        "$work/states" || fail "the server's memory grows"
else
    echo "not looked at: growth from one half to the other, in $seconds seconds"
fi
end
[ -z "$(ls -A "$runtime/mpgpu")" ] || fail "files stay: $(ls -A "$runtime/mpgpu")"
