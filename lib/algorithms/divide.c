/* SPDX-License-Identifier: LGPL-3.0-or-later
 * Division by a reciprocal, in blocks of the quotient.
 *
 * A block.  d is normalised, of n limbs; the remainder so far with the next j limbs of
 * the numerator makes N < d B^j, of n + j limbs; the j limbs q = floor(N/d) are wanted. Let
 * v be the reciprocal with j + 1 limbs, 0 < B^(n+j+1) / d - v < E, and H = floor(N / B^(n-1)),
 * of j + 1 limbs.  Then, for y = H v / B^(j+2),
 *
 *     0 <= N/d - y < 2/B + E/B,    for H drops less than B^(n-1) of N, and B^(n-1) / d <= 2/B,
 *                                  and H (B^(n+j+1) / d - v) / B^(j+2) < B^(j+1) E / B^(j+2).
 *
 * So floor(y) is q or q - 1, and the limb below the point, the guard, tells which, unless it
 * is within E + 2 of B; nor is the remainder 0 unless the guard is.  Where the remainder is
 * wanted, N - floor(y) d < 2d is computed in n + 1 limbs, and d taken off once if need be.
 *
 * What it costs, in products of equal operands M(n), with M(n) = c n and M(m, n) = c (m+n)/2:
 * with b blocks of m = qn/b limbs the reciprocal takes 2.5 M(m), and each block M(m) for H v and
 * M(m, n) for the multiple of d, together (2.5/b + 1.5) qn + b n/2.  Least where b (b+1) is about
 * 5 qn/n: for 2n by n limbs two blocks, and 3.75 M(n).
 *
 * Of the multiple of d the high limbs are known before, those of N: so n + 2 of its m + n limbs
 * are enough, modulo B^w - 1 for a w that a device's transforms like (mulmod_bnm1.h).  In the same
 * way the reciprocal needs m + 2 of 1.5 m limbs of one of its two products. If all sizes were
 * liked, 3.0 M(n) would do. */
#include "lib/algorithms/divide.h"

#include "lib/algorithms/mulmod_bnm1.h"
#include "lib/algorithms/scratch.h"
#include "lib/base/ceil_div.h"
#include "lib/operate/composition.h"
#include "lib/operate/operate_divide.h"

enum { SMALL_ERROR = RECIPROCAL_ERROR + 1 + 2 };

enum remainder { WANTED, NOT_WANTED };

/* H v to v->scratch, 2j + 2 limbs, for {np, n+j}; the quotient's address. */
static mp_ptr estimate(struct composite *w, const struct reciprocal *v, mp_srcptr np, size_t j) {
    mp_srcptr hp = np + v->dn - 1;
    composite_mul(w, v->scratch, hp, j + 1, v->xp + v->k - (j + 1), j + 1);
    mpn_add_n(v->scratch + j + 1, v->scratch + j + 1, hp, (mp_size_t)(j + 1));
    return v->scratch + j + 2;
}

/* {np, n+1} = {np, n+j} - {qp, j} d, which is below 2d: n + 1 limbs of the product tell. */
static void subtract_product(struct composite *w, const struct reciprocal *v, mp_srcptr qp,
                             mp_ptr np, size_t j) {
    size_t n = v->dn, wrapped = mulmod_bnm1_size(n + 2, n, j);
    mp_ptr product = v->scratch + 2 * (j + 1);
    if (wrapped) {
        mulmod_bnm1_mul(w, product, wrapped, qp, j, v->dp, n);
        mulmod_bnm1_subtract_from(product, wrapped, np, n + j);
        mpn_copyi(np, product, (mp_size_t)(n + 1));
    } else {
        composite_mul(w, product, qp, j, v->dp, n);
        mpn_sub_n(np, np, product, (mp_size_t)(n + 1));
    }
}

/* {np, n} = {np, n+j} - {qp, j} d, where {qp, j} is right or 1 too small; corrects it. */
static void multiply_back(struct composite *w, const struct reciprocal *v, mp_ptr qp, mp_ptr np,
                          size_t j) {
    mp_size_t n = (mp_size_t)v->dn;
    subtract_product(w, v, qp, np, j);
    if (np[n] || mpn_cmp(np, v->dp, n) >= 0) {
        mpn_sub_n(np, np, v->dp, n);
        mpn_add_1(qp, qp, (mp_size_t)j, 1);
    }
}

/* A block.  Where the remainder is not wanted and not needed it is not computed: then
 * the result is true, and there is one. */
static bool block(struct composite *w, const struct reciprocal *v, mp_ptr qp, mp_ptr np, size_t j,
                  enum remainder remainder) {
    mp_ptr estimated = estimate(w, v, np, j);
    mp_limb_t guard = estimated[-1];
    bool is_known = remainder == NOT_WANTED && guard > 0 && guard < -(mp_limb_t)SMALL_ERROR;
    if (!is_known)
        multiply_back(w, v, estimated, np, j);
    if (qp)
        mpn_copyi(qp, estimated, (mp_size_t)j);
    return is_known;
}

/* divide_in_place, less the last remainder if it is not wanted and not needed: as block. */
static bool all_blocks(struct composite *w, const struct reciprocal *v, mp_ptr qp, mp_ptr np,
                       size_t qn, enum remainder remainder) {
    size_t most = v->k - 1;
    bool is_known = false;
    for (size_t blocks = ceil_div(qn, most); blocks > 0; blocks--) {
        size_t j = ceil_div(qn, blocks);
        qn -= j;
        is_known = block(w, v, qp ? qp + qn : NULL, np + qn, j, qn ? WANTED : remainder);
    }
    return is_known;
}

void divide_in_place(struct composite *w, const struct reciprocal *v, mp_ptr qp, mp_ptr np,
                     size_t nn) {
    all_blocks(w, v, qp, np, nn - v->dn, WANTED);
}

size_t divide_reciprocal_size(size_t qn, size_t dn) {
    size_t b = ceil_div(qn, dn);
    while (b * (b + 1) * dn < 5 * qn)
        b++;
    return ceil_div(qn, b) + 1;
}

/* The numerator as its blocks want it, with nn + 1 limbs; NULL if there is no memory. */
static mp_ptr shifted(const struct reciprocal *v, mp_srcptr np, size_t nn) {
    mp_ptr copy = scratch_alloc(nn + 1);
    if (!copy)
        return NULL;
    copy[nn] = 0;
    if (v->shift)
        copy[nn] = mpn_lshift(copy, np, (mp_size_t)nn, v->shift);
    else
        mpn_copyi(copy, np, (mp_size_t)nn);
    return copy;
}

/* The quotient fits: the highest limb of copy is below 2^shift, the divisor's is not. */
bool divide_by(struct composite *w, const struct reciprocal *v, mp_ptr qp, mp_ptr rp, mp_srcptr np,
               size_t nn) {
    mp_ptr copy = shifted(v, np, nn);
    if (!copy)
        return false;
    divide_in_place(w, v, qp, copy, nn + 1);
    if (rp && v->shift)
        mpn_rshift(rp, copy, (mp_size_t)v->dn, v->shift);
    else if (rp)
        mpn_copyi(rp, copy, (mp_size_t)v->dn);
    scratch_free(copy);
    return true;
}

/* From operands to results on the device, where it pays and works. */
static bool on_device(struct composite *w, const struct operate_division *d) {
    if (thresholds_is_small(divide_size(d->nn, d->dn), &thresholds.div) || !composition_serves())
        return false;
    enum outcome outcome = operate_divide(d);
    composite_count(w, outcome);
    return outcome == OUTCOME_DONE;
}

bool divide_qr(struct composite *w, mp_ptr qp, mp_ptr rp, mp_srcptr np, size_t nn, mp_srcptr dp,
               size_t dn) {
    struct reciprocal v;
    const struct operate_division d = {.qp = qp, .rp = rp, .np = np, .dp = dp, .nn = nn, .dn = dn};
    if (on_device(w, &d))
        return true;
    if (!reciprocal_init(w, &v, dp, dn, divide_reciprocal_size(nn - dn + 1, dn)))
        return false;
    bool done = divide_by(w, &v, qp, rp, np, nn);
    reciprocal_clear(&v);
    return done;
}

/* ---- quotients alone
 *
 * A quotient q of qn limbs hangs on the highest t = qn + 2 limbs of the divisor, and as
 * many of the numerator. Write N = N' B^s + N0 and d = D B^s + d0, and q' and R for
 * quotient and remainder of N' by D; then N - q' d = R B^s + N0 - q' d0 < (R+1) B^s <= d,
 * and it is more than (R - q') B^s: q' = q if R >= q', and the remainder is not 0 if R > q'.
 * A guard that is neither 0 nor near B says that: R / D >= 1/B, so R >= D / B >= B^qn > q'.
 *
 * Where the remainder is 0, N' = q D + (q d0 - N0) / B^s, and the fraction, an integer as
 * all else is, lies in [0, q).  So N' + D/2 has the quotient q, and a guard near B/2. */

/* The divisor's limbs that a quotient of qn limbs hangs on. */
static size_t deciding_size(size_t qn, size_t dn) {
    return min_u64(qn + 2, dn);
}

enum certainty { NO_MEMORY, UNDECIDED, DECIDED };

/* copy += floor(D/2) for the shifted divisor D. */
static void add_half(const struct reciprocal *v, mp_ptr copy, size_t n) {
    mpn_rshift(v->scratch, v->dp, (mp_size_t)v->dn, 1);
    mpn_add(copy, copy, (mp_size_t)n, v->scratch, (mp_size_t)v->dn);
}

/* The highest limbs' quotient to q, which may overlap numerator and divisor. */
static enum certainty quotient(struct composite *w, mp_ptr q, bool *exact, mp_srcptr np, size_t nn,
                               mp_srcptr dp, size_t dn, bool half) {
    size_t qn = nn - dn + 1, t = deciding_size(qn, dn), s = dn - t;
    struct reciprocal v;
    bool is_less = false;
    const struct operate_division d = {.qp = q,
                                       .np = np + s,
                                       .dp = dp + s,
                                       .nn = nn - s,
                                       .dn = t,
                                       .is_less = half || s == 0 ? NULL : &is_less,
                                       .is_exact = half || s > 0 ? NULL : exact};
    if (on_device(w, &d)) { /* the remainder is always known, so that nothing is to be added */
        *exact = d.is_exact && *exact;
        return half || s == 0 || is_less ? DECIDED : UNDECIDED;
    }
    if (!reciprocal_init(w, &v, dp + s, t, divide_reciprocal_size(qn, t)))
        return NO_MEMORY;
    mp_ptr copy = shifted(&v, np + s, nn - s);
    enum certainty certainty = copy ? DECIDED : NO_MEMORY;
    if (copy && half)
        add_half(&v, copy, nn - s + 1);
    if (copy && all_blocks(w, &v, q, copy, qn, NOT_WANTED))
        *exact = false;
    else if (copy && s == 0)
        *exact = mpn_zero_p(copy, (mp_size_t)t);
    else if (copy)
        certainty = UNDECIDED;
    scratch_free(copy);
    reciprocal_clear(&v);
    return certainty;
}

/* With the remainder. */
static bool divide_fully(struct composite *w, mp_ptr qp, bool *exact, mp_srcptr np, size_t nn,
                         mp_srcptr dp, size_t dn) {
    mp_ptr rp = scratch_alloc(dn);
    bool done = rp && divide_qr(w, qp, rp, np, nn, dp, dn);
    if (done)
        *exact = mpn_zero_p(rp, (mp_size_t)dn);
    scratch_free(rp);
    return done;
}

bool divide_q(struct composite *w, mp_ptr qp, bool *exact, mp_srcptr np, size_t nn, mp_srcptr dp,
              size_t dn) {
    size_t qn = nn - dn + 1;
    if (deciding_size(qn, dn) == dn)
        return quotient(w, qp, exact, np, nn, dp, dn, false) != NO_MEMORY;
    mp_ptr q = scratch_alloc(qn); /* numerator and divisor may be wanted again */
    if (!q)
        return false;
    enum certainty certainty = quotient(w, q, exact, np, nn, dp, dn, false);
    if (certainty == DECIDED)
        mpn_copyi(qp, q, (mp_size_t)qn);
    scratch_free(q);
    return certainty == UNDECIDED ? divide_fully(w, qp, exact, np, nn, dp, dn)
                                  : certainty == DECIDED;
}

bool divide_exact(struct composite *w, mp_ptr qp, mp_srcptr np, size_t nn, mp_srcptr dp,
                  size_t dn) {
    bool exact;
    return quotient(w, qp, &exact, np, nn, dp, dn, true) != NO_MEMORY;
}
