/* SPDX-License-Identifier: LGPL-3.0-or-later
 * Square roots, half of the limbs from the other half (P. Zimmermann, Karatsuba Square
 * Root, INRIA RR-3805).
 *
 * N has 2n limbs and is normalised, N >= B^(2n) / 4.  Let n = h + l, l = n/2 rounded down, N =
 * N1 B^(2l) + a1 B^l + a0, and s1, r1 root and remainder of N1.  Then with q, u = quotient and
 * remainder of r1 B^l + a1 by 2 s1
 *
 *     s = s1 B^l + q,    r = u B^l + a0 - q^2    or, if that is negative, s - 1 and r + 2s - 1.
 *
 * As r1 <= 2 s1 and 2 s1 >= B^h >= B^l, q is at most B^l.
 *
 * A division of n by h limbs and a square of l, 3.75 + 1 times M(n/2), and the same for each half
 * before it: 4.75 M(n) for a root of n limbs. */
#include "lib/algorithms/sqrt.h"

#include "lib/algorithms/scratch.h"
#include "lib/gmp/normalize.h"
#include "lib/gmp/real.h"
#include "lib/operate/composition.h"
#include "lib/operate/operate_root.h"

/* Below that GMP takes the root. */
static bool is_small(size_t n) {
    return thresholds_is_small(n, &thresholds.sqrt);
}

/* {np, n} + *top B^n = the same - {qp, l+1}^2 for {qp, l+1} <= B^l; *top in two's complement. */
static void subtract_square(struct composite *w, mp_ptr np, size_t n, mp_limb_t *top, mp_srcptr qp,
                            size_t l, mp_ptr scratch) {
    if (qp[l] == 0) {
        composite_mul(w, scratch, qp, l, qp, l);
        *top -= mpn_sub(np, np, (mp_size_t)n, scratch, (mp_size_t)(2 * l));
    } else if (2 * l < n)
        *top -= mpn_sub_1(np + 2 * l, np + 2 * l, (mp_size_t)(n - 2 * l), 1);
    else
        *top -= 1;
}

/* {sp, n} + carry B^n is 1 too large: so is the remainder too small by 2s - 1 for s as it is. */
static void step_back(mp_ptr sp, mp_ptr np, size_t n, mp_limb_t *top, mp_limb_t carry) {
    *top += mpn_add_n(np, np, sp, (mp_size_t)n) + carry;
    carry -= mpn_sub_1(sp, sp, (mp_size_t)n, 1);
    *top += mpn_add_n(np, np, sp, (mp_size_t)n) + carry;
}

/* GMP's. */
static mp_limb_t small_root(mp_ptr sp, mp_ptr np, size_t n) {
    mp_size_t rn = real.mpn_sqrtrem(sp, np, np, (mp_size_t)(2 * n));
    mp_limb_t top = rn > (mp_size_t)n ? np[n] : 0;
    if (rn < (mp_size_t)n)
        mpn_zero(np + rn, (mp_size_t)n - rn);
    return top;
}

/* {sp, n} = the root of {np, 2n}, {np, n} + *top B^n the remainder; scratch of 2n limbs.  False
 * if there is no memory. */
static bool root(struct composite *w, mp_ptr sp, mp_ptr np, size_t n, mp_limb_t *top,
                 mp_ptr scratch) {
    size_t l = n / 2, h = n - l;
    mp_ptr qp = scratch, square = qp + l + 2;
    if (is_small(n)) {
        *top = small_root(sp, np, n);
        return true;
    }
    if (!root(w, sp + l, np + 2 * l, h, top, scratch))
        return false;
    np[l + n] = *top; /* r1 B^l + a1 is {np + l, n + 1} */
    if (!divide_qr(w, qp, np + l, np + l, n + 1, sp + l, h))
        return false;
    *top = 0;
    if (qp[0] & 1) /* by s1, not 2 s1 */
        *top = mpn_add_n(np + l, np + l, sp + l, (mp_size_t)h);
    mpn_rshift(qp, qp, (mp_size_t)(l + 2), 1);
    subtract_square(w, np, n, top, qp, l, square);
    mpn_copyi(sp, qp, (mp_size_t)l);
    mp_limb_t carry = mpn_add_1(sp + l, sp + l, (mp_size_t)h, qp[l]);
    if (*top >> (GMP_NUMB_BITS - 1))
        step_back(sp, np, n, top, carry);
    return true;
}

/* ---- numbers that are not normalised: N 2^(2k) is; k < GMP_NUMB_BITS
 *
 * For its root s' = s 2^k + s0, s0 < 2^k, and remainder r',
 * N 2^(2k) = s^2 2^(2k) + r' + s0 (2 s' - s0): so s is N's root, and its remainder that of N,
 * r' + 2 s0 s' - s0^2, over 2^(2k). */

/* {np, nn} 2^(2k) to 2n limbs; k. */
static unsigned normalise(mp_ptr copy, size_t n, mp_srcptr np, size_t nn) {
    unsigned shift = (unsigned)__builtin_clzl(np[nn - 1]) & ~1u;
    mp_ptr high = copy + (2 * n - nn); /* 1 limb of zeros below where nn is odd */
    copy[0] = 0;
    if (shift)
        mpn_lshift(high, np, (mp_size_t)nn, shift);
    else
        mpn_copyi(high, np, (mp_size_t)nn);
    return (unsigned)((2 * n - nn) * GMP_NUMB_BITS + shift) / 2;
}

/* {xp, n} >>= bits, in place. */
static void shift_right(mp_ptr xp, size_t n, unsigned bits) {
    size_t limbs = bits / GMP_NUMB_BITS;
    if (limbs) {
        mpn_copyi(xp, xp + limbs, (mp_size_t)(n - limbs));
        mpn_zero(xp + n - limbs, (mp_size_t)limbs);
    }
    if (bits % GMP_NUMB_BITS)
        mpn_rshift(xp, xp, (mp_size_t)n, bits % GMP_NUMB_BITS);
}

/* Back from N 2^(2k); the remainder has n + 2 limbs here. */
static void denormalise(struct sqrt *x, unsigned k) {
    size_t n = x->sn;
    mp_limb_t s0 = x->sp[0] & (((mp_limb_t)1 << k) - 1), square[2];
    for (int i = 0; i < 2; i++)
        x->rp[n + 1] +=
            mpn_add_1(&x->rp[n], &x->rp[n], 1, mpn_addmul_1(x->rp, x->sp, (mp_size_t)n, s0));
    square[1] = mpn_mul_1(square, &s0, 1, s0);
    mpn_sub(x->rp, x->rp, (mp_size_t)(n + 2), square, 2);
    shift_right(x->rp, n + 2, 2 * k);
    shift_right(x->sp, n, k);
}

/* From operands to results on the device, where that works. */
static bool on_device(struct composite *w, const struct operate_root *x) {
    if (!composition_serves())
        return false;
    enum outcome outcome = operate_root(x);
    composite_count(w, outcome);
    return outcome == OUTCOME_DONE;
}

/* As sqrt_init, to x->sp and x->rp. */
static bool limbs_on_device(struct composite *w, struct sqrt *x, mp_srcptr np, size_t nn,
                            bool has_rest) {
    bool is_square;
    const struct operate_root root = {.sp = x->sp,
                                      .rp = has_rest ? x->rp : NULL,
                                      .np = np,
                                      .nn = nn,
                                      .k = 2,
                                      .is_exact = has_rest ? NULL : &is_square};
    if (!on_device(w, &root))
        return false;
    x->rn = has_rest ? normalize(x->rp, operate_root_rest_limbs(&root)) : !is_square;
    return true;
}

bool sqrt_init(struct composite *w, struct sqrt *x, mp_srcptr np, size_t nn, bool has_rest) {
    size_t n = (nn + 1) / 2;
    mp_limb_t top;
    *x = (struct sqrt){.sn = n, .rn = n + 2};
    x->sp = scratch_alloc(5 * n); /* the root, the number, scratch */
    if (!x->sp)
        return false;
    x->rp = x->sp + n;
    if (limbs_on_device(w, x, np, nn, has_rest))
        return true;
    unsigned k = normalise(x->rp, n, np, nn);
    if (!root(w, x->sp, x->rp, n, &top, x->rp + 2 * n)) {
        sqrt_clear(x);
        return false;
    }
    x->rp[n] = top;
    x->rp[n + 1] = 0;
    if (k)
        denormalise(x, k);
    x->rn = normalize(x->rp, x->rn);
    return true;
}

void sqrt_clear(struct sqrt *x) {
    scratch_free(x->sp);
}

static void set(mpz_ptr x, mp_srcptr p, size_t n) {
    if (n > 0)
        mpn_copyi(mpz_limbs_write(x, (mp_size_t)n), p, (mp_size_t)n);
    mpz_limbs_finish(x, (mp_size_t)n);
}

/* To the places of the results. */
static bool mpz_on_device(struct composite *w, mpz_ptr s, mpz_ptr r, mpz_srcptr n) {
    struct operate_root x = {.np = n->_mp_d, .nn = mpz_size(n), .k = 2};
    size_t sn = operate_root_limbs(&x), rn = operate_root_rest_limbs(&x);
    x.sp = composite_mpz_grow(s, sn);
    x.rp = r ? composite_mpz_grow(r, rn) : NULL;
    x.np = n->_mp_d; /* where s or r is n */
    if (!on_device(w, &x))
        return false;
    s->_mp_size = (int)sn;
    if (r)
        r->_mp_size = (int)normalize(x.rp, rn);
    return true;
}

bool sqrt_mpz_by_products(struct composite *w, mpz_ptr s, mpz_ptr r, mpz_srcptr n) {
    struct sqrt x;
    if (mpz_on_device(w, s, r, n))
        return true;
    if (!sqrt_init(w, &x, n->_mp_d, mpz_size(n), true))
        return false;
    set(s, x.sp, x.sn);
    if (r)
        set(r, x.rp, x.rn);
    sqrt_clear(&x);
    return true;
}

void sqrt_mpz(struct composite *w, mpz_ptr s, mpz_ptr r, mpz_srcptr n) {
    if (n->_mp_size <= 0 || is_small(sqrt_size((size_t)n->_mp_size)) ||
        !sqrt_mpz_by_products(w, s, r, n))
        real.mpz_sqrtrem(s, r, n);
}
