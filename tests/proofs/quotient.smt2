; SPDX-License-Identifier: LGPL-3.0-or-later
; quotient_times (kernels/modular/quotient_estimate.h) at the full width, B = 2^32.  S is the number
; in the words that the function reads, in units of word n - 2, so t / B^(n-2) is between S - 4 and
; S + 1.  v is floor((S - 4) / B).

; The two words {top, b} that the code computes are v modulo 2^64.  a and b are below 2^35 in size, so
; 64 bits hold them.  fa, ra, fb and rb are what a >> 32, (u32)a, b >> 32 and (u32)b are.
(push)
(declare-const x0 Int) (declare-const x1 Int) (declare-const x2 Int) (declare-const l0 Int)
(declare-const l1 Int) (declare-const h0 Int) (declare-const h1 Int) (declare-const above Int)
(declare-const a Int) (declare-const fa Int) (declare-const ra Int)
(declare-const b Int) (declare-const fb Int) (declare-const rb Int) (declare-const v Int)
(define-fun B () Int 4294967296)
(define-fun s () Int
  (- (+ (* B B x2) (* B x1) x0) (* 2 (+ (* B l1) l0)) (* 2 (+ (* B B above) (* B h1) h0))))
(assert (and (= a (- x0 (* 2 l0) (* 2 h0) 4)) (= a (+ (* B fa) ra)) (<= 0 ra) (< ra B)))
(assert (and (= b (+ (- x1 (* 2 l1) (* 2 h1)) fa)) (= b (+ (* B fb) rb)) (<= 0 rb) (< rb B)))
(assert (and (<= (* B v) (- s 4)) (< (- s 4) (* B (+ v 1)))))
(assert (not (= v (+ (* B (+ (- x2 (* 2 above)) fb)) rb))))
(check-sat)
(pop)

; T = t / B^(n-1) and M = m / B^(n-1).  times = floor(64 v / (m1 + 1)) is the estimate in units of 2^-6:
; times <= 64 T / M < times + 3.
(push)
(declare-const T Real) (declare-const M Real) (declare-const v Real) (declare-const m1 Real)
(declare-const times Real)
(assert (and (<= 0 v) (< v T) (< T (+ v 1 (/ 1 536870912)))))
(assert (and (<= 2147483648 m1) (< m1 4294967296) (<= m1 M) (< M (+ m1 1))))
(assert (< T (* 33554432 M)))
(assert (and (<= 0 times) (<= (* times (+ m1 1)) (* 64 v)) (< (* 64 v) (* (+ times 1) (+ m1 1)))))
(push)
(assert (not (<= (* times M) (* 64 T))))
(check-sat)
(pop)
; times is below 64 T / M < 2^31, by the bound on T
(push)
(assert (<= (* times M) (* 64 T)))
(assert (not (< times 2147483648)))
(check-sat)
(pop)
(assert (< times 2147483648))
(assert (not (< (* 64 T) (* (+ times 3) M))))
(check-sat)
(pop)

; So q = floor(T / M) is c, or c + 1 if times is at least 60 modulo 64.
(push)
(declare-const y Real) (declare-const times Int) (declare-const q Int) (declare-const c Int)
(declare-const part Int)
(assert (and (<= times (* 64 y)) (< (* 64 y) (+ times 3)) (<= q y) (< y (+ q 1))))
(assert (and (= times (+ (* 64 c) part)) (<= 0 part) (< part 64)))
(assert (not (or (= q c) (and (= q (+ c 1)) (<= 60 part)))))
(check-sat)
(pop)

; Where v < 0, the code takes times = 0: T is below 2^-29 and at least 0, so q = 0.
(push)
(declare-const T Real) (declare-const M Real) (declare-const v Int) (declare-const q Int)
(assert (and (< v 0) (<= 0 T) (< T (+ v 1 (/ 1 536870912))) (<= 2147483648 M)))
(assert (and (<= (* q M) T) (< T (* (+ q 1) M))))
(assert (not (= q 0)))
(check-sat)
(pop)
