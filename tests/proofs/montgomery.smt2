; SPDX-License-Identifier: LGPL-3.0-or-later
; A step of Montgomery for W = 2^32: mod_mul and lazy_reduce of kernels/common/modular.h (t = high W
; + low, t < p W).  prove.sh repeats it for W = 2^64: residue_product and residue_reduce of
; kernels/check/residue.h.  Each check-sat must answer unsat: no counterexample.
(set-logic ALL)
(define-fun W () Int 4294967296)
(declare-fun a () Int) (declare-fun b () Int) (declare-fun p () Int) (declare-fun pinv () Int) (declare-fun i () Int)
; t = high W + low, m = low pinv mod W, and m p = n W + rest
(declare-fun high () Int) (declare-fun low () Int)
(declare-fun m () Int) (declare-fun k () Int) (declare-fun n () Int) (declare-fun rest () Int)
; 1. m p and low differ by a multiple of W ...  The two equations are p pinv = 1 + i W, multiplied by
; low, and low pinv = k W + m, multiplied by p.
(push 1)
(assert (= (* low p pinv) (* low (+ 1 (* i W)))))
(assert (= (* low p pinv) (* p (+ (* k W) m))))
(assert (not (= (* m p) (+ low (* W (- (* low i) (* k p)))))))
(check-sat)
(pop 1)
(assert (and (<= 0 a) (< a W) (<= 0 b) (< b p) (< 1 p) (< p W) (<= 0 low) (< low W) (<= 0 m) (< m W)))
(assert (and (= (* m p) (+ (* n W) rest)) (<= 0 rest) (< rest W)))
; 2. ... so the low words agree: t - m p = (high - n) W.
(push 1)
(declare-fun z () Int)
(assert (= (* m p) (+ low (* W z))))
(assert (not (= rest low)))
(check-sat)
(pop 1)
; 3. n < p.
(push 1)
(assert (not (< n p)))
(check-sat)
(pop 1)
; 4. high < p if t is the product of any word a and of b < p.
(push 1)
(assert (= (* a b) (+ (* high W) low)))
(assert (not (< high p)))
(check-sat)
(pop 1)
; 5. Then high - n, plus p if it is negative, is in [0, p).
(push 1)
(assert (and (<= 0 high) (< high p) (<= 0 n) (< n p)))
(assert (not (ite (< high n) (and (<= 0 (+ (- high n) p)) (< (+ (- high n) p) p))
                  (and (<= 0 (- high n)) (< (- high n) p)))))
(check-sat)
(pop 1)
