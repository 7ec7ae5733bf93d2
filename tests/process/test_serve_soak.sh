#!/bin/sh
# SPDX-License-Identifier: LGPL-3.0-or-later
# MPGPU_TEST_CLIENTS (12) programs at a time come to one mpgpu-serve, compute, and go, for
# MPGPU_TEST_SECONDS (10).  A quarter of them are killed at any moment, some have children, some
# send nonsense.  Nobody else notices: outputs are GMP's, made by the server.  The server's memory
# and descriptors do not grow, and nothing of its clients stays.
. "$(dirname "$0")/../support/common.sh"
. "$srcdir/tests/support/serve.sh"
seconds=${MPGPU_TEST_SECONDS:-10}
clients=${MPGPU_TEST_CLIENTS:-12}
export POCL_DEVICES=basic

# What client $1 does: `served` with these words.
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

# A number below $1.
any() {
    echo $(($(od -An -N2 -tu2 /dev/urandom) % $1))
}

# Ends this client's loop, and so the test.
wrong() {
    echo "client $1: $2: $(cat "$work/out.$1" "$work/err.$1")" >"$work/wrong.$1"
    exit 1
}

# Client $1 once: it ends by itself, or is killed before or after that.
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

# The same again and again; a last one sends nonsense.
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

# The server's memory in KiB and its descriptors.
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
# In a long run the second half has no more than the first; a short one has too few programs at once
# to tell.
if [ "$seconds" -ge 60 ]; then
    awk -v half=$((seconds / 2)) 'NR > half { i = 1 } $1 > most[i + 0] { most[i + 0] = $1 }
        END { print "the most of either half:", most[0], most[1]; exit !(most[1] <= most[0] * 1.25 + 65536) }' \
        "$work/states" || fail "the server's memory grows"
else
    echo "not looked at: growth from one half to the other, in $seconds seconds"
fi
end
[ -z "$(ls -A "$runtime/mpgpu")" ] || fail "files stay: $(ls -A "$runtime/mpgpu")"
