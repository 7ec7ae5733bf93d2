# SPDX-License-Identifier: LGPL-3.0-or-later
# shellcheck shell=sh disable=SC2154,SC2034 # common.sh and the test set and use these variables
# For tests of one mpgpu-serve, which source it after common.sh.  It starts a server on $backend in
# a temporary folder, and programs that are its clients.
serve=$builddir/tools/mpgpu-serve
served=$builddir/tests/process/served
rogue=$builddir/tests/process/rogue
[ -x "$rogue" ] || skip 'no mpgpu-serve in this build'
backend=$(backends | head -n 1)
[ -n "$backend" ] || skip 'no device on this machine'

# The folder has a short path, because the address of a socket is limited to about 100 bytes.
runtime=$(mktemp -d /tmp/mpgpu-test-serve.XXXXXX)
export XDG_RUNTIME_DIR="$runtime"
socket=$runtime/mpgpu/serve-$("$serve" --version | sed 's/.* //')
pid=
stop() {
    [ -z "$pid" ] || kill -9 "$pid" 2>/dev/null || true
    rm -rf "$runtime"
}
trap stop EXIT

# Starts the server in the foreground with the arguments "$@".  SERVER_CONF adds options.
begin() {
    MPGPU_CONF=backend:$backend,log:2${SERVER_CONF:+,$SERVER_CONF} "$serve" --foreground "$@" 2>"$work/log" &
    pid=$!
    for try in 1 2 3 4 5 6 7 8 9 10 20 30; do
        "$serve" --list >"$work/list" 2>/dev/null && return
        sleep "0.$try"
    done
    fail "the server does not begin: $(cat "$work/log")"
}

end() {
    "$serve" --end
    wait "$pid" || fail "the server's exit status: $(cat "$work/log")"
    pid=
    [ ! -e "$socket" ] || fail "$socket stays behind"
}

# Waits until the server has released everything that its clients owned.  Then `mpgpu-serve --list`
# prints only the server itself and its devices.
all_are_gone() {
    for try in 1 2 3 4 5 6 7 8 9 10; do
        "$serve" --list >"$work/list"
        grep -v '^device' "$work/list" | tail -n +2 | grep -q . || return 0
        sleep $try
    done
    fail "clients stay: $(cat "$work/list")"
}

# Runs a program as a client of the server; CONF adds options.
client() {
    MPGPU_CONF="backend:$backend,open:wait,watchdog:600,mul:100,sqr:100,stats:text,server:${SERVER-only},${CONF-log:1}" \
        LD_PRELOAD=$library timeout 600 "$@"
}
by_server() {
    grep -q '^mpgpu: device: .*by mpgpu-serve' "$1" || fail "not by the server: $(cat "$1")"
    [ "$(sent "$1")" -gt 0 ] || fail "nothing was sent: $(cat "$1")"
}
