/* SPDX-License-Identifier: LGPL-3.0-or-later
 * A floating-point number from its digits: the digits become an integer, truncated to the
 * precision.  The integer is multiplied or divided by a power of the base, which is truncated
 * likewise. */
#include "lib/algorithms/divide.h"
#include "lib/algorithms/scratch.h"
#include "lib/algorithms/text/text_digits.h"
#include "lib/algorithms/text/text_float.h"
#include "lib/algorithms/text/text_power.h"

struct integer { /* the integer {p, n} * 2^(64 * dropped) */
    mp_srcptr p;
    size_t n, dropped;
};

/* r = the highest limbs of {p, n} * 2^(64 (exp - n)) that fit in r. */
static void keep(mpf_ptr r, mp_srcptr p, size_t n, mp_exp_t exp, bool negative) {
    size_t most = (size_t)r->_mp_prec + 1, skip = n > most ? n - most : 0;
    mpn_copyi(r->_mp_d, p + skip, (mp_size_t)(n - skip));
    r->_mp_size = negative ? -(int)(n - skip) : (int)(n - skip);
    r->_mp_exp = exp;
}

static bool multiply(struct composite *w, mpf_ptr r, const struct integer *x,
                     const struct text_power *power, bool negative) {
    size_t n = x->n + power->n;
    mp_ptr tp = scratch_alloc(n);
    if (!tp)
        return false;
    composite_mul(w, tp, x->p, x->n, power->p, power->n);
    n -= tp[n - 1] == 0;
    keep(r, tp, n, (mp_exp_t)(n + x->dropped + power->dropped), negative);
    scratch_free(tp);
    return true;
}

/* {qp, nn - dn + 1} = {np, nn} / {dp, dn}; np may be overwritten. */
static bool quotient(struct composite *w, mp_ptr qp, mp_ptr np, size_t nn, mp_srcptr dp,
                     size_t dn) {
    bool exact;
    if (dn > 1)
        return divide_q(w, qp, &exact, np, nn, dp, dn);
    mpn_divrem_1(qp, 0, np, (mp_size_t)nn, *dp);
    return true;
}

/* Returns true if x gets another limb when divisor and x are shifted until the divisor's top bit is
 * set. */
static bool is_longer(const struct integer *x, const struct text_power *power) {
    int shift = __builtin_clzl(power->p[power->n - 1]);
    return shift && x->p[x->n - 1] >> (GMP_NUMB_BITS - shift);
}

/* Divides the integer x, padded with zero limbs, by a power of the base, and writes the quotient
 * to r. The quotient has one or two limbs more than r's precision. */
static bool divide(struct composite *w, mpf_ptr r, const struct integer *x,
                   const struct text_power *power, bool negative) {
    size_t prec = (size_t)r->_mp_prec + 1, longer = is_longer(x, power);
    size_t nn = prec + power->n, qn = prec + 1;
    size_t xn = nn - longer;
    mp_ptr tp = scratch_alloc(nn + qn), qp = tp + nn;
    if (!tp)
        return false;
    size_t zeros = xn - x->n;
    mpn_zero(tp, (mp_size_t)zeros);
    mpn_copyi(tp + zeros, x->p, (mp_size_t)x->n);
    bool done = quotient(w, qp, tp, xn, power->p, power->n);
    if (done) {
        mp_exp_t exp = (mp_exp_t)(x->dropped + x->n) - (mp_exp_t)(power->dropped + power->n);
        qn = xn - power->n + 1;
        size_t top = qp[qn - 1] == 0;
        keep(r, qp, qn - top, exp + 1 - (mp_exp_t)top, negative);
    }
    scratch_free(tp);
    return done;
}

static bool scale(struct composite *w, int base, mpf_ptr r, const struct integer *x, long exp,
                  bool negative) {
    struct text_power power;
    unsigned long e = exp < 0 ? -(unsigned long)exp : (unsigned long)exp;
    if (e == 0) {
        keep(r, x->p, x->n, (mp_exp_t)(x->n + x->dropped), negative);
        return true;
    }
    if (!text_power_open(&power, w, (mp_limb_t)base, e, (size_t)r->_mp_prec + 1))
        return false;
    bool done = exp < 0 ? divide(w, r, x, &power, negative) : multiply(w, r, x, &power, negative);
    text_power_close(&power);
    return done;
}

bool text_float_set(struct composite *w, int base, mpf_ptr r, const unsigned char *sp, size_t n,
                    long exp, bool negative) {
    size_t most = (size_t)r->_mp_prec + 1;
    mp_ptr tp = scratch_alloc(text_digits_limbs(base, n));
    size_t tn = tp ? text_digits_set(w, base, tp, sp, n) : 0, skip = tn > most ? tn - most : 0;
    bool done = tn > 0;
    if (done) {
        struct integer x = {tp + skip, tn - skip, skip};
        done = scale(w, base, r, &x, exp, negative);
    }
    scratch_free(tp);
    return done;
}
