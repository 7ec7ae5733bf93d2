#!/bin/sh
# SPDX-License-Identifier: LGPL-3.0-or-later
# A server is stopped, or its device hangs, while a client waits for it. A signal must end the
# client, a handler must be able to leave the call, and after the watchdog's time GMP must compute.
. "$(dirname "$0")/../support/common.sh"
. "$srcdir/tests/support/serve.sh"
stepwise=$builddir/tests/process/stepwise
mkfifo "$work/in"
what=begin

# Starts a client with options $1 and waits until its first product is computed.
begin_client() {
    MPGPU_CONF="backend:$backend,open:wait,mul:20,sqr:20,batch:1,dispatch:fixed,server:only,$1" \
        "$stepwise" <"$work/in" >"$work/out" 2>"$work/err" &
    client=$!
    exec 9>"$work/in"
    ask mul 20000
    await_lines 1
}

ask() {
    echo "$*" >&9
}

await_lines() {
    for _ in $(seq 300); do
        [ "$(wc -l <"$work/out")" -lt "$1" ] || return 0
        sleep 0.1
    done
    fail "$what: the client hangs: $(cat "$work/out" "$work/err")"
}

await_end() {
    for _ in $(seq 100); do
        kill -0 "$client" 2>/dev/null || return 0
        sleep 0.1
    done
    kill -9 "$client"
    fail "$what: the client does not end"
}

end_client() {
    exec 9>&-
    await_end
    wait "$client" || fail "$what: $(cat "$work/out" "$work/err")"
}

# stop_during COMMAND TENTHS: stops the server while the client runs the command. During `fill` it
# stops the server after a delay, because most of the time of `fill` is one copy.
stop_during() {
    what=$1
    case $1 in
    fill*)
        ask "$1"
        await_lines 2
        sleep 0.$2
        kill -STOP "$pid"
        ;;
    *)
        kill -STOP "$pid"
        ask "$1"
        ;;
    esac
    sleep 0.5
}

# Stops the server during each of these commands, then ends the client by SIGTERM. The first small
# product also sets up slots (places in memory for small products); the first large one also opens a
# stream or page-locks memory.
for command in 'mul 3000' 'mul 40000000' 'create 16' 'fill 60' 'fill 60' 'fill 60' 'fill 60'; do
    begin
    begin_client log:1,watchdog:600
    stop_during "$command" 5
    kill -TERM "$client"
    await_end
    status=0
    wait "$client" || status=$?
    [ $status -eq 143 ] || fail "$command: SIGTERM: exit status $status: $(cat "$work/out" "$work/err")"
    exec 9>&-
    kill -CONT "$pid"
    all_are_gone
    end
done
echo 'passed: a signal ends the client of a server that is stopped'

# A handler leaves a call while the server is stopped. When the server continues, it must finish the
# abandoned work and release the memory of that work.
begin
for command in 'mul 400000' 'create 1024' 'fill 60' 'fill 60' 'fill 60' 'fill 60'; do
    begin_client log:1,watchdog:600
    stop_during "$command" 5
    lines=$(wc -l <"$work/out")
    kill -USR1 "$client"
    await_lines $((lines + 1))
    [ "$(tail -n 1 "$work/out")" = left ] || fail "$command: not left: $(cat "$work/out")"
    kill -CONT "$pid"
    ask mul 30000
    await_lines $((lines + 2))
    [ "$(tail -n 1 "$work/out")" = right ] || fail "$command: $(cat "$work/out")"
    "$serve" --list >"$work/list"
    case $command in create*) grep -q ' 0 MiB in use' "$work/list" || fail "memory that nobody has: $(cat "$work/list")" ;; esac
    end_client
done
all_are_gone
end
echo 'passed: handlers leave calls while the server is stopped'

# Handlers leave 32 small products, which then occupy all slots (places in shared memory): another
# product must not wait for a slot for ever.
begin
what='33 products of which 32 are left'
begin_client log:1,watchdog:3
ask mul 3000
await_lines 2
kill -STOP "$pid"
for lines in $(seq 3 34); do
    ask mul 3000
    sleep 0.05
    kill -USR1 "$client"
    await_lines "$lines"
done
[ "$(grep -c left "$work/out")" -eq 32 ] || fail "$what: $(cat "$work/out")"
ask mul 3000
await_lines 35
end_client
kill -CONT "$pid"
all_are_gone
end
echo "passed: $what"

for command in 'mul 3000' 'mul 400000' 'fork 20'; do
    begin
    begin_client log:1,watchdog:1
    stop_during "$command" 5
    await_lines 2
    ask mul 20000
    await_lines 3
    grep -q wrong "$work/out" && fail "$command: $(cat "$work/out" "$work/err")"
    end_client
    kill -CONT "$pid"
    all_are_gone
    end
done
echo 'passed: GMP computes instead of a server that is stopped'
