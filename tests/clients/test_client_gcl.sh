#!/bin/sh
# SPDX-License-Identifier: LGPL-3.0-or-later
# Runs GNU Common Lisp (GCL) and programs built with it, as clients of mpgpu-serve: Maxima, ACL2 and
# Axiom.  Their memory images have a private malloc, which works only after main has begun.  The
# collector of garbage leaves GMP's calls by longjmp, moves all numbers, and may protect pages that
# results are written to.  Output and status must be GMP's, and the device must compute calls.
# An image that a program saves must contain nothing of the library.
. "$(dirname "$0")/../support/common.sh"
found=
for program in gcl maxima acl2 axiom; do
    command -v $program >/dev/null 2>&1 && found="$found $program"
done
[ -n "$found" ] || skip "none of gcl, maxima, acl2 and axiom is installed"
. "$srcdir/tests/support/serve.sh"

# Prints the length and a residue of each result. Numbers are random, or have patterns that cause
# long carries. `gbc` collects garbage; an allocation inside a call may also collect garbage.
cat >"$work/gcl.lisp" <<'TEXT'
(setq *random-state* (make-random-state nil))
(when (equal (si::getenv "SGC") "t") (si::sgc-on t))
(setq si::*notify-gbc* t)
(defun number (k bits)
  (case k
    (0 (1- (ash 1 bits)))
    (1 (ash 1 bits))
    (2 (1+ (ash 1 bits)))
    (3 (- (ash 1 bits) (ash 1 (floor bits 2))))
    (t (random (ash 1 bits)))))
(defun show (x) (print (list (integer-length x) (mod x 2305843009213693951))))
(defun f (n) (if (= n 0) 1 (* n (f (- n 1)))))
(dotimes (i 24)
  (let ((u (number (mod i 5) (+ 20000 (* i 1999)))) (v (number (mod i 7) (+ 15000 (* i 701)))))
    (when (= (mod i 3) 0) (si::gbc t))
    (show (* u v))
    (show (* (- u) u))
    (show (floor u v))
    (show (mod u v))
    (show (gcd (* u 6) (* u 10)))
    (show (isqrt (* u v)))
    (show (expt (+ i 3) 9000))
    (show (parse-integer (princ-to-string v)))))
(print (mod (f 1000) 1000000007))
TEXT
cat >"$work/save.lisp" <<'TEXT'
(setq *u* (expt 3 50000))
(setq *v* (* *u* (1+ *u*)))
(print (mod *v* 1000000007))
(si::save-system (si::getenv "IMAGE"))
TEXT
cat >"$work/use.lisp" <<'TEXT'
(print (mod (* *u* *v*) 1000000007))
(print (= *v* (* *u* (1+ *u*))))
(let ((image (si::getenv "IMAGE"))) (when image (si::save-system image)))
TEXT
cat >"$work/maxima.mac" <<'TEXT'
a:3^50000$ b:7^20000+1$
print(mod(a*b,1000000007), is(quotient(a*b,a)=b))$
print(mod(1000!,1000000007), isqrt(5*7^3000), gcd(6^3000,10^2000))$
print(integrate(1/(1+x^2),x))$
bfloat(%pi), fpprec:5000;
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

# Runs the program $2... with file $1 as its input.  Omits times and the collector's messages from its
# output.
run_on() {
    input=$1
    shift
    "$@" <"$input" >"$work/raw" 2>"$work/err" || fail "$*: exit status $?: $(cat "$work/err")"
    sed '/Hons-Note/d; s/([0-9]* faulted pages.*//; s/\[GC for.*//' "$work/raw"
}

# check INPUT COMMAND...: compares the output of the command alone with its output under preload, with
# default options and as a client.  Runs it three times, because addresses differ between runs.
check() {
    run_on "$@" >"$work/alone"
    grep -q 641419708 "$work/alone" || fail "$2: 1000! modulo 1000000007 is not there: $(cat "$work/alone")"
    input=$1
    shift
    for _ in 1 2 3; do
        run_on "$input" env LD_PRELOAD="$library" "$@" >"$work/with"
        same "$work/alone" "$work/with"
        run_on "$input" client "$@" >"$work/with"
        same "$work/alone" "$work/with"
        by_server "$work/err"
    done
    echo "$1: as alone"
}

end_all() {
    "$serve" --end 2>/dev/null || true # also ends a server that a program has started on demand
    stop
}
trap end_all EXIT
begin
for program in $found; do
    case $program in
    gcl)
        for sgc in nil t; do
            export SGC=$sgc
            check /dev/null gcl -batch -load "$work/gcl.lisp"
            grep -q 'GC for' "$work/raw" "$work/err" || fail 'no garbage was collected'
        done
        ;;
    maxima) check /dev/null maxima --very-quiet --batch="$work/maxima.mac" ;;
    acl2) check "$work/acl2.lisp" acl2 ;;
    axiom) check "$work/axiom.input" axiom -nox -noht -noclef -nogr ;;
    esac
done

# Saves an image as a client, continues from it as a client, saves it again, and continues from both
# images with GMP alone.
case $found in
*gcl*)
    folder=$(gcl -batch -eval '(princ si::*lib-directory*)' </dev/null)
    saved() {
        program=$1
        shift
        run_on /dev/null "$@" "$program" -dir "${folder}unixport/" -libdir "$folder" -batch -load "$work/use.lisp" >"$work/with"
        same "$work/used" "$work/with"
    }
    printf '\n%s \nT ' 661985866 >"$work/used"
    IMAGE=$work/first run_on /dev/null client gcl -batch -load "$work/save.lisp" >"$work/with"
    by_server "$work/err"
    IMAGE=$work/second saved "$work/first" client
    by_server "$work/err"
    saved "$work/second" client
    by_server "$work/err"
    for image in first second; do
        saved "$work/$image" env
        grep -q 'libmpgpu' "$work/$image" && fail "the $image image contains text of the library"
    done
    echo 'saved images: as alone'
    ;;
esac
all_are_gone
end
