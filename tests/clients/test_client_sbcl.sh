#!/bin/sh
# SPDX-License-Identifier: LGPL-3.0-or-later
# Runs sb-gmp, a contributed module of SBCL.  It passes memory of its own for results, which GMP
# must neither free nor reallocate, and operands inside Lisp objects.  Each result is compared with
# SBCL's arithmetic, or checked by an equation that it must satisfy.
. "$(dirname "$0")/../support/common.sh"
need_command sbcl
. "$(dirname "$0")/clients.sh"

cat >"$work/client.lisp" <<'TEXT'
(require :sb-gmp)
(defpackage "CLIENT" (:use "CL"))
(in-package "CLIENT")
(defvar *seed* 1)
(defun next-word () (setf *seed* (mod (+ (* *seed* 6364136223846793005) 1442695040888963407) (ash 1 64))))
(defun number-of (limbs) (let ((x 1)) (dotimes (i limbs x) (setf x (+ (ash x 64) (next-word))))))
(defun signed (limbs) (* (if (evenp (ash (next-word) -40)) 1 -1) (number-of limbs)))
(defun fraction (limbs) (/ (signed limbs) (number-of (1+ (floor limbs 2)))))
(defun show (name good) (format t "~a ~a~%" name (if good "good" "WRONG")))
(defmacro same (name ours theirs)
  `(show ,name (equal (multiple-value-list ,ours) (let ((sb-gmp:*gmp-disabled* t)) (multiple-value-list ,theirs)))))
(defun product (list) (reduce #'* list))
(defun down (n m) (loop for i = n then (- i m) while (> i 0) collect i))
(defun check (limbs)
  (let* ((a (signed limbs)) (b (signed (1+ (floor limbs 3)))) (m (1+ (* 2 (number-of (1+ (floor limbs 4))))))
         (p (fraction limbs)) (q (fraction (1+ (floor limbs 2)))) (n (* 12 limbs)))
    (same "add" (sb-gmp:mpz-add a b) (+ a b))
    (same "sub" (sb-gmp:mpz-sub a b) (- a b))
    (same "sub of the same" (sb-gmp:mpz-sub a a) 0)
    (same "mul" (sb-gmp:mpz-mul a b) (* a b))
    (same "square" (sb-gmp:mpz-mul a a) (* a a))
    (same "mul-2exp" (sb-gmp:mpz-mul-2exp a 77) (ash a 77))
    (same "mod" (sb-gmp:mpz-mod a m) (mod a m))
    (same "tdiv" (sb-gmp:mpz-tdiv a b) (truncate a b))
    (same "fdiv" (sb-gmp:mpz-fdiv a b) (floor a b))
    (same "cdiv" (sb-gmp:mpz-cdiv a b) (ceiling a b))
    (same "fdiv-2exp" (sb-gmp:mpz-fdiv-2exp a 77) (ash a -77))
    (same "pow" (sb-gmp:mpz-pow b 5) (expt b 5))
    (same "powm" (sb-gmp:mpz-powm a 17 m) (mod (expt a 17) m))
    (same "gcd" (sb-gmp:mpz-gcd (* a m) (* b m)) (gcd (* a m) (* b m)))
    (same "lcm" (sb-gmp:mpz-lcm a b) (lcm a b))
    (same "sqrt" (sb-gmp:mpz-sqrt (abs a)) (isqrt (abs a)))
    (same "remove" (sb-gmp:mpz-remove (* (expt m 3) (1+ (* m (abs a)))) m) (values (1+ (* m (abs a))) 3))
    (same "divisible" (and (sb-gmp:mpz-divisible-p (* a m) m) t) t)
    (same "fac" (sb-gmp:mpz-fac n) (product (down n 1)))
    (same "2fac" (sb-gmp:mpz-2fac (1+ n)) (product (down (1+ n) 2)))
    (same "mfac" (sb-gmp:mpz-mfac n 3) (product (down n 3)))
    (same "bin" (sb-gmp:mpz-bin n (floor n 3))
          (/ (product (down n 1)) (product (down (floor n 3) 1)) (product (down (- n (floor n 3)) 1))))
    (same "primorial" (sb-gmp:mpz-primorial n)
          (product (loop for i from 2 to n when (loop for j from 2 to (isqrt i) never (zerop (mod i j))) collect i)))
    (multiple-value-bind (f g) (sb-gmp:mpz-fib2 (* 8 n)) (show "fib2" (= 1 (- (* f f) (* f g) (* g g) -2))))
    (same "mpq-add" (sb-gmp:mpq-add p q) (+ p q))
    (same "mpq-sub" (sb-gmp:mpq-sub p q) (- p q))
    (same "mpq-sub of the same" (sb-gmp:mpq-sub p p) 0)
    (same "mpq-mul" (sb-gmp:mpq-mul p q) (* p q))
    (same "mpq-div" (sb-gmp:mpq-div p q) (/ p q))))
(dolist (limbs '(1 2 9 20 61 150)) (check limbs))
(let ((p (sb-gmp:mpz-nextprime (number-of 3)))) (show "nextprime" (plusp (sb-gmp:mpz-probably-prime-p p))))
(sb-ext:gc :full t)
TEXT

sbcl --noinform --non-interactive --load "$work/client.lisp" >"$work/gmp" 2>"$work/gmp.err" ||
    skip "sbcl has no sb-gmp, or no libgmp: $(tail -n 1 "$work/gmp.err")"
grep WRONG "$work/gmp" && fail "with GMP alone"
[ "$(wc -l <"$work/gmp")" -gt 100 ] || fail "with GMP alone: $(cat "$work/gmp.err")"
for backend in $present; do
    "$run" --replace --backend "$backend" --wait --stats --conf "$small" \
        sbcl --noinform --non-interactive --load "$work/client.lisp" >"$work/$backend" 2>"$work/stats" ||
        fail "$backend: exit status $?: $(tail -n 5 "$work/$backend") $(cat "$work/stats")"
    cat "$work/stats"
    same "$work/gmp" "$work/$backend"
    [ "$(sent "$work/stats")" -gt 0 ] || fail "nothing was sent"
done
