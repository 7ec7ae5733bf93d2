; SPDX-License-Identifier: LGPL-3.0-or-later
; The axioms of theory.h follow if (uint32_t)x is x mod 2^32, (uint64_t)x is x mod 2^64, x >> n is
; floor(x / 2^n), and x << n is x 2^n (shift_left32).  Bit operations are those of vectors of 64 bits.
(set-logic ALL)
(define-fun W () Int 4294967296)
(define-fun WW () Int 18446744073709551616)
(declare-fun x () Int)
(push 1) ; above
(assert (not (=> (and (<= W x) (< x (* 2 W))) (= (mod x W) (- x W)))))
(check-sat)
(pop 1)
(push 1) ; below
(assert (not (=> (and (<= (- W) x) (< x 0)) (= (mod x W) (+ x W)))))
(check-sat)
(pop 1)
(push 1) ; below64
(assert (not (=> (and (<= (- WW) x) (< x 0)) (= (mod x WW) (+ x WW)))))
(check-sat)
(pop 1)
(push 1) ; low32
(assert (not (=> (<= 0 x) (= (mod x W) (- x (* W (div x W)))))))
(check-sat)
(pop 1)
(push 1) ; shift32
(assert (not (=> (<= 0 x) (and (<= 0 (- x (* W (div x W)))) (< (- x (* W (div x W))) W)))))
(check-sat)
(pop 1)
(push 1) ; shift63
(define-fun H () Int 9223372036854775808)
(assert (not (=> (<= 0 x) (and (<= 0 (- x (* H (div x H)))) (< (- x (* H (div x H))) H)))))
(check-sat)
(pop 1)
(push 1) ; shift, by 2^n = d
(declare-fun d () Int)
(assert (not (=> (and (<= 0 x) (<= 1 d)) (and (<= 0 (div x d)) (<= (div x d) x)))))
(check-sat)
(pop 1)
(declare-fun u () (_ BitVec 64)) (declare-fun v () (_ BitVec 64))
(push 1) ; mask
(assert (not (and (bvule (bvand u v) u) (bvule (bvand u v) v))))
(check-sat)
(pop 1)
(push 1) ; or32
(assert (not (=> (and (bvult u #x0000000100000000) (bvult v #x0000000100000000)) (bvult (bvor u v) #x0000000100000000))))
(check-sat)
(pop 1)
(push 1) ; odd
(assert (not (= (bvand u #x0000000000000001) (bvurem u #x0000000000000002))))
(check-sat)
(pop 1)
(push 1) ; flip
(assert (not (=> (bvule u #x0000000000000001) (bvule (bvxor u #x0000000000000001) #x0000000000000001))))
(check-sat)
(pop 1)
