; SPDX-License-Identifier: LGPL-3.0-or-later
; factor_of of kernels/common/modular.h: c = W w mod p gives w and floor(W w / p).  That d p = n W + c
; follows as steps 1 and 2 of montgomery.smt2, with low = c and m = d.
(set-logic ALL)
(define-fun W () Int 4294967296)
(declare-fun c () Int) (declare-fun p () Int) (declare-fun d () Int) (declare-fun n () Int)
(assert (and (< 1 p) (< p 2147483648) (<= 0 c) (< c p) (<= 0 d) (< d W) (<= 0 n) (< n p)))
(assert (= (* d p) (+ (* n W) c)))
; w = 0 - n mod p, and quotient = 0 - d mod W
(define-fun w () Int (ite (= n 0) 0 (- p n)))
(define-fun quotient () Int (ite (= d 0) 0 (- W d)))
; 1. W w = quotient p + c: so c is W w mod p, and the quotient is its floor.
(push 1)
(assert (not (= (* W w) (+ (* quotient p) c))))
(check-sat)
(pop 1)
