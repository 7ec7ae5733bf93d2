/* SPDX-License-Identifier: LGPL-3.0-or-later
 * Divisibility: first tests the low bits.  Then it computes the quotient alone, which proves
 * whether there is a remainder, and costs less than computing the remainder. */
#include "lib/algorithms/theory/divisible.h"

#include "lib/algorithms/divide.h"
#include "lib/algorithms/divide_mpz.h"
#include "lib/algorithms/scratch.h"
#include "lib/gmp/normalize.h"
#include "lib/gmp/real.h"

/* The repeated squares of f have 1, 2, 4 ... times its bits: so more than MOST_POWERS would exceed
 * an mpz. */
enum { MOST_POWERS = 48 };

bool divisible_is_possible(mp_limb_t low, mpz_srcptr d) {
    mp_limb_t lowest = d->_mp_d[0] & -d->_mp_d[0]; /* lowest set bit of the limb, or 0 */
    return (low & (lowest - 1)) == 0;
}

bool divisible_decide(struct composite *w, mpz_srcptr n, mpz_srcptr d, bool *divides) {
    size_t nn = mpz_size(n), dn = mpz_size(d);
    *divides = false;
    if (!divisible_is_possible(n->_mp_d[0], d))
        return true;
    mp_ptr qp = scratch_alloc(nn - dn + 1);
    bool done = qp && divide_q(w, qp, divides, n->_mp_d, nn, d->_mp_d, dn);
    scratch_free(qp);
    return done;
}

bool divisible_decide_congruence(struct composite *w, mpz_srcptr a, mpz_srcptr c, mpz_srcptr d,
                                 bool *is_congruent) {
    mpz_t difference;
    bool done = true;
    mpz_init(difference);
    real.mpz_sub(difference, a, c);
    *is_congruent = difference->_mp_size == 0;
    if (mpz_size(difference) >= mpz_size(d))
        done = divisible_decide(w, difference, d, is_congruent);
    mpz_clear(difference);
    return done;
}

/* ---- multiplicities
 *
 * x is divided by f, f^2, f^4 ... until there is a remainder.  Then x is divided by each smaller
 * power once, the largest first. */

/* x /= p if p divides x, and returns true then; q and r are scratch. */
static bool divide_out(struct composite *w, mpz_ptr x, mpz_srcptr p, mpz_ptr q, mpz_ptr r) {
    size_t xn = mpz_size(x), pn = mpz_size(p), size = divide_size(xn, pn);
    bool exact = false;
    if (size == 0 || !divisible_is_possible(x->_mp_d[0], p))
        return false;
    if (pn > 1 && !thresholds_is_small(size, &thresholds.div) &&
        divide_q(w, composite_mpz_grow(q, xn - pn + 1), &exact, x->_mp_d, xn, p->_mp_d, pn))
        q->_mp_size = (int)normalize(q->_mp_d, xn - pn + 1);
    else {
        real.mpz_tdiv_qr(q, r, x, p);
        exact = r->_mp_size == 0;
    }
    if (exact)
        mpz_swap(x, q);
    return exact;
}

/* Divides x > 0 by power[0] > 1 as long as there is no remainder.  Returns how often it divided. */
static mp_bitcnt_t divide_all_out(struct composite *w, mpz_ptr x, mpz_t *power) {
    mp_bitcnt_t count = 0;
    int made = 1, i = 0;
    mpz_t q, r;
    mpz_init(q);
    mpz_init(r);
    for (; divide_out(w, x, power[i], q, r); i++) {
        count += (mp_bitcnt_t)1 << i;
        mpz_init(power[made++]);
        if (2 * composite_mpz_bits(power[i]) - 1 <= composite_mpz_bits(x))
            composite_mpz_mul(w, power[i + 1], power[i], power[i]);
        else /* the square would exceed x. 2 x exceeds x too, and ends the loop as well */
            mpz_mul_2exp(power[i + 1], x, 1);
    }
    while (--i >= 0)
        if (divide_out(w, x, power[i], q, r))
            count += (mp_bitcnt_t)1 << i;
    while (--made > 0)
        mpz_clear(power[made]);
    mpz_clear(q);
    mpz_clear(r);
    return count;
}

mp_bitcnt_t divisible_remove(struct composite *w, mpz_ptr r, mpz_srcptr n, mpz_srcptr f) {
    mpz_t x, power[MOST_POWERS];
    bool n_negative = n->_mp_size < 0, f_negative = f->_mp_size < 0;
    mpz_init(x);
    mpz_init(power[0]);
    mpz_set(x, n);
    mpz_set(power[0], f);
    x->_mp_size = (int)mpz_size(x);
    power[0]->_mp_size = (int)mpz_size(f);
    mp_bitcnt_t count = divide_all_out(w, x, power);
    if (n_negative != (f_negative && count % 2))
        x->_mp_size = -x->_mp_size;
    mpz_set(r, x);
    mpz_clear(x);
    mpz_clear(power[0]);
    return count;
}
