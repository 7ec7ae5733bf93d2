/* SPDX-License-Identifier: LGPL-3.0-or-later
 * Division of mpz: divide.h divides the magnitudes, this file sets signs and rounds. */
#include "lib/algorithms/divide_mpz.h"

#include "lib/algorithms/composite.h"
#include "lib/algorithms/divide.h"
#include "lib/algorithms/scratch.h"
#include "lib/gmp/normalize.h"
#include "lib/gmp/real.h"

/* The state of one division. q or r is NULL if the caller does not want that result. */
struct work {
    struct composite *w;
    enum divide_mpz_rounding rounding;
    mpz_ptr q, r;
    mpz_srcptr n, d;
    size_t nn, dn, qn;
    bool n_negative, q_negative; /* signs of n and of the quotient */
    mp_ptr divisor;              /* copy of d's limbs, if a result overwrites them */
};

/* Sets the size field of x to n without the zero limbs at the top, negated if `negative`. */
static void set_size(mpz_ptr x, size_t n, bool negative) {
    n = normalize(x->_mp_d, n);
    x->_mp_size = negative ? -(int)n : (int)n;
}

/* Returns true if this division rounds the quotient away from zero when the remainder is not 0. */
static bool rounds_away(const struct work *k) {
    return (k->rounding == DIVIDE_MPZ_FLOOR && k->q_negative) ||
           (k->rounding == DIVIDE_MPZ_CEILING && !k->q_negative) ||
           (k->rounding == DIVIDE_MPZ_MODULO && k->n_negative);
}

/* Divides the magnitudes, rounding towards zero.  Returns false if memory is missing. */
static bool divide(struct work *k, bool *exact) {
    mp_ptr qp = k->q ? composite_mpz_grow(k->q, k->qn) : NULL,
           rp = k->r ? composite_mpz_grow(k->r, k->dn) : NULL;
    mp_srcptr np = k->n->_mp_d, dp = k->divisor ? k->divisor : k->d->_mp_d;
    if (k->rounding == DIVIDE_MPZ_EXACT)
        return divide_exact(k->w, qp, np, k->nn, dp, k->dn);
    if (!rp)
        return divide_q(k->w, qp, exact, np, k->nn, dp, k->dn);
    if (!divide_qr(k->w, qp, rp, np, k->nn, dp, k->dn))
        return false;
    *exact = mpn_zero_p(rp, (mp_size_t)k->dn);
    return true;
}

/* Rounds the quotient away from zero: |q| becomes |q| + 1, and |r| becomes |d| - |r|. */
static void round_away(struct work *k) {
    mp_size_t qn = (mp_size_t)k->qn;
    if (k->q && mpn_add_1(k->q->_mp_d, k->q->_mp_d, qn, 1)) {
        mp_ptr qp = _mpz_realloc(k->q, (mp_size_t)k->qn + 1); /* only the limbs are written here;
                                                               * q's size is set later */
        qp[k->qn++] = 1;
    }
    if (k->r)
        mpn_sub_n(k->r->_mp_d, k->divisor ? k->divisor : k->d->_mp_d, k->r->_mp_d,
                  (mp_size_t)k->dn);
}

/* Returns true if round_away needs the divisor and a result overwrites it. */
static bool loses_divisor(const struct work *k) {
    return k->r && rounds_away(k) &&
           (k->r->_mp_d == k->d->_mp_d || (k->q && k->q->_mp_d == k->d->_mp_d));
}

static bool keep_divisor(struct work *k) {
    if (!loses_divisor(k))
        return true;
    k->divisor = scratch_alloc(k->dn);
    if (k->divisor)
        mpn_copyi(k->divisor, k->d->_mp_d, (mp_size_t)k->dn);
    return k->divisor != NULL;
}

/* Divides like divide_mpz_by_products. */
static bool work(struct work *k) {
    bool exact = true, done = keep_divisor(k) && divide(k, &exact);
    bool away = !exact && rounds_away(k);
    if (done && away)
        round_away(k);
    if (done && k->q)
        set_size(k->q, k->qn, k->q_negative);
    if (done && k->r)
        set_size(k->r, k->dn, k->n_negative != away);
    scratch_free(k->divisor);
    return done;
}

size_t divide_mpz_size(mpz_srcptr n, mpz_srcptr d) {
    return divide_size(mpz_size(n), mpz_size(d));
}

bool divide_mpz_by_products(struct composite *w, enum divide_mpz_rounding rounding, mpz_ptr q,
                            mpz_ptr r, mpz_srcptr n, mpz_srcptr d) {
    struct work k = {.w = w, .rounding = rounding, .q = q, .r = r, .n = n, .d = d};
    k.nn = mpz_size(n);
    k.dn = mpz_size(d);
    k.qn = k.nn - k.dn + 1;
    k.n_negative = n->_mp_size < 0;
    k.q_negative = (n->_mp_size ^ d->_mp_size) < 0;
    return work(&k);
}

/* Divides numbers of any size.  Returns false if GMP must divide them. */
static bool attempt(struct composite *w, enum divide_mpz_rounding rounding, mpz_ptr q, mpz_ptr r,
                    mpz_srcptr n, mpz_srcptr d) {
    size_t size = divide_mpz_size(n, d);
    return size > 0 && !thresholds_is_small(size, &thresholds.div) &&
           divide_mpz_by_products(w, rounding, q, r, n, d);
}

void divide_mpz_tdiv_qr(struct composite *w, mpz_ptr q, mpz_ptr r, mpz_srcptr n, mpz_srcptr d) {
    if (!attempt(w, DIVIDE_MPZ_TRUNCATE, q, r, n, d))
        real.mpz_tdiv_qr(q, r, n, d);
}

void divide_mpz_mod(struct composite *w, mpz_ptr r, mpz_srcptr n, mpz_srcptr d) {
    if (!attempt(w, DIVIDE_MPZ_MODULO, NULL, r, n, d))
        real.mpz_mod(r, n, d);
}

void divide_mpz_exact(struct composite *w, mpz_ptr q, mpz_srcptr n, mpz_srcptr d) {
    if (!attempt(w, DIVIDE_MPZ_EXACT, q, NULL, n, d))
        real.mpz_divexact(q, n, d);
}
