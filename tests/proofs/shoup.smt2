; SPDX-License-Identifier: LGPL-3.0-or-later
; Products by a constant factor (Shoup): lazy_mul of kernels/common/modular.h, for W = 2^32: with
; f = floor(W w / p) and q = floor(a f / W), a w - q p is in [0, 2 p).
(set-logic ALL)
(define-fun W () Int 4294967296)
(declare-fun a () Int) (declare-fun w () Int) (declare-fun p () Int) (declare-fun f () Int) (declare-fun q () Int)
(assert (and (<= 0 a) (< a W) (<= 0 w) (< w p) (< 0 p) (< p 2147483648)))
(assert (and (<= (* f p) (* W w)) (< (* W w) (+ (* f p) p))))
(assert (and (<= (* q W) (* a f)) (< (* a f) (+ (* q W) W))))
(push 1)
(assert (not (<= (* q p) (* a w))))
(check-sat)
(pop 1)
(push 1)
(assert (not (< (* a w) (+ (* q p) (* 2 p)))))
(check-sat)
(pop 1)
