#!/bin/sh
# SPDX-License-Identifier: LGPL-3.0-or-later
# Runs PostgreSQL's extension pgmp.  Its memory functions for GMP refuse large blocks, leave by
# longjmp, and free all blocks at the end of a statement.  Its operands are in pages of the
# database.
. "$(dirname "$0")/../support/common.sh"
server=$(ls -d /usr/lib/postgresql/*/bin/postgres 2>/dev/null | tail -n 1)
[ -n "$server" ] || skip "no PostgreSQL server"
module=${server%/bin/postgres}/lib/pgmp.so
[ -f "$module" ] || skip "no pgmp for $server"
. "$(dirname "$0")/clients.sh"
need_shared_gmp "$module"

# The PostgreSQL server refuses to run as root.  If this test is root, the server runs under another
# user number in a namespace.
database=$(mktemp -d)
trap 'rm -rf "$database"' EXIT
as_user() {
    if [ "$(id -u)" -eq 0 ]; then
        unshare --user --map-user=1000 --map-group=1000 "$@"
    else
        "$@"
    fi
}
as_user true || skip "no other user than root"
as_user "${server%/postgres}/initdb" -D "$database/new" -A trust -N >"$work/initdb" 2>&1 || {
    cat "$work/initdb"
    skip "no database"
}

# Prints SQL statements, one a line, with operands of up to about $1, $2 ... decimal digits.
statements() {
    echo "CREATE EXTENSION pgmp;"
    for digits in "$@"; do
        a="(-1)::mpz * (7::mpz ^ $((digits * 118 / 100)) + 2)"
        b="(3::mpz ^ $((digits * 104 / 100)) + 4)"
        m="(5::mpz ^ $((digits * 36 / 100)) + 6)"
        p="($b)::mpq / ($m)"
        q="($a)::mpq / ($m * 9)"
        for x in "$a + $b" "$a - $b" "$a * $b" "$a / $m" "$a % $m" "$a +/ $m" "$a -/ $m" "$a +% $m" "$a -% $m" \
            "($a * $m) /! $m" "abs($a)" "sqrt($b)" "sqrtrem($b)" "root($b, 3)" "rootrem($b, 5)" "tdiv_qr($a, $m)" \
            "fdiv_qr($a, $m)" "cdiv_qr($a, $m)" "gcd($a * $m, $b * $m)" "gcdext($a, $b)" "lcm($a, $b)" \
            "invert($a, $m * 2 - 1)" "powm($a, 17, $m)" "jacobi($a, $m * 2 + 1)" "remove($m ^ 3 * 7, $m)" \
            "perfect_power($m ^ 3)" "perfect_square($m ^ 2)" "divisible($a * $m, $m)" "congruent($a, $b, $m)" \
            "fac($digits)" "bin($digits, $((digits / 3)))" "bin($m, 5)" "fib($((5 * digits)))" "fib2($((5 * digits)))" \
            "lucnum($((5 * digits)))" "lucnum2($((5 * digits)))" "text($a, 36)" "mpz(text($a, 7)::text, 7)" \
            "probab_prime($b, 5)" "mpz_hash($a)" "$p + $q" "$p - $q" "$p * $q" "$p / $q" "$p + ($p - $q)" \
            "mpq(text($q))" "limit_den($q, 1000000)" "num($q)" "den($q)"; do
            echo "SELECT $x AS x;"
        done
        numbers="SELECT $a * i AS z, ($b)::mpq / i AS q FROM generate_series(1, 20) i"
        for f in sum prod max min; do
            echo "SELECT $f(z) AS z, $f(q) AS q FROM ($numbers) t;"
        done
        echo "SELECT nextprime(2::mpz ^ 100) AS x, 3::mpz / 0 AS error;"
    done
}

statements 5 70 600 3000 >"$work/input"

# Runs the statements in a new database, and writes results and errors to $work/$1.
ask() {
    rm -rf "$database/data"
    cp -a "$database/new" "$database/data"
    as_user "$server" --single -D "$database/data" postgres <"$work/input" >"$work/$1.all" 2>&1 || {
        tail -n 5 "$work/$1.all"
        fail "$1: exit status $?"
    }
    grep -E '^	 *[0-9]+: .* = "|ERROR|FATAL|PANIC' "$work/$1.all" |
        sed 's/^.*UTC \[[0-9]*\] //; s/(typeid = .*//' >"$work/$1"
}

ask gmp
[ "$(grep -c = "$work/gmp")" -gt 200 ] || fail "with GMP alone: $(cat "$work/gmp.all")"
[ "$(grep -c ERROR "$work/gmp")" -eq 4 ] || fail "with GMP alone: $(grep ERROR "$work/gmp")"
for backend in $present; do
    MPGPU_CONF=backend:$backend,open:wait,stats:text,$small LD_PRELOAD=$library ask "$backend"
    grep '^mpgpu: ' "$work/$backend.all" >"$work/stats"
    cat "$work/stats"
    same "$work/gmp" "$work/$backend"
    [ "$(sent "$work/stats")" -gt 0 ] || fail "nothing was sent"
done
