#!/bin/sh
# SPDX-License-Identifier: LGPL-3.0-or-later
# Runs GNU Common Lisp (GCL) and programs built with it: Maxima, ACL2 and Axiom.  Their memory
# images have a private malloc, which works only after main has begun.  So they must get no device,
# and output and status must be GMP's.  The addresses differ between runs, so there are many runs.
. "$(dirname "$0")/../support/common.sh"
runs=12

cat >"$work/gcl.lisp" <<'TEXT'
(defun f (n) (if (= n 0) 1 (* n (f (- n 1)))))
(setq a (expt 3 20000))
(print (mod (* a (+ a 1)) 1000000007))
(print (mod (f 1000) 1000000007))
(print (gcd (* a 6) (expt 6 500)))
(print (isqrt (* a a 5)))
TEXT
cat >"$work/maxima.mac" <<'TEXT'
print(mod(3^20000*(3^20000+1),1000000007))$
print(mod(1000!,1000000007), isqrt(5*7^3000), gcd(6^3000,10^2000))$
print(integrate(1/(1+x^2),x))$
bfloat(%pi), fpprec:200;
TEXT
cat >"$work/acl2.lisp" <<'TEXT'
(mod (* (expt 3 20000) (+ 1 (expt 3 20000))) 1000000007)
(defun fact (n) (if (zp n) 1 (* n (fact (- n 1)))))
(mod (fact 1000) 1000000007)
(good-bye)
TEXT
cat >"$work/axiom.input" <<'TEXT'
(3^20000*(3^20000+1)) rem 1000000007
factorial(1000) rem 1000000007
integrate(1/(1+x^2),x)
gcd(6^300,10^200)
)quit
y
TEXT

# Runs the program $2... with file $1 as its input.  Omits lines that contain times from its output.
run_on() {
    input=$1
    shift
    timeout 300 "$@" <"$input" >"$work/raw" 2>"$work/err" || return
    sed '/Hons-Note/d' "$work/raw"
}

# check NAME INPUT COMMAND...: compares the output of the command alone and under preload.
check() {
    name=$1 input=$2
    shift 2
    command -v "$1" >/dev/null 2>&1 || {
        echo "skipped: $name: $1 is not installed"
        return 0
    }
    status=0
    run_on "$input" "$@" >"$work/alone" || status=$?
    [ $status -eq 0 ] || fail "$name: exit status $status with GMP alone: $(cat "$work/err")"
    mv "$work/err" "$work/alone.err"
    grep -q 641419708 "$work/alone" || fail "$name: 1000! modulo 1000000007 is not there: $(cat "$work/alone")"
    for i in $(seq $runs); do
        conf=
        [ $((i % 2)) -eq 0 ] || conf=mul:1,sqr:1,add:1
        status=0
        run_on "$input" env MPGPU_CONF="$conf" LD_PRELOAD="$library" "$@" >"$work/with" || status=$?
        [ $status -eq 0 ] || fail "$name: run $i: exit status $status: $(cat "$work/err")"
        same "$work/alone" "$work/with"
        same "$work/alone.err" "$work/err"
    done
    echo "$name: as alone, $runs times"
    checked=1
}

checked=
check 'GNU Common Lisp' /dev/null gcl -batch -load "$work/gcl.lisp"
check Maxima /dev/null maxima --very-quiet --batch="$work/maxima.mac"
check ACL2 "$work/acl2.lisp" acl2
check Axiom "$work/axiom.input" axiom -nox -noht -noclef -nogr
[ -n "$checked" ] || skip "none of gcl, maxima, acl2 and axiom is installed"
