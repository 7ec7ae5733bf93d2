/* SPDX-License-Identifier: LGPL-3.0-or-later
 * Division of mpz: magnitudes by products, signs and rounding here. */
#include "lib/algorithms/divide.h"
#include "lib/gmp/real.h"
#include "lib/algorithms/scratch.h"
#include "lib/algorithms/normalize.h"
#include "lib/algorithms/composite_mpz.h"

/* Towards zero; down; up; a remainder that is not negative; without remainder. */
enum rounding { TRUNCATE, FLOOR, CEILING, MODULO, EXACT };
enum results { QUOTIENT, REMAINDER, BOTH };

struct division {
    enum call_row row;
    enum rounding rounding;
    enum results results;
    void (**real)(mpz_ptr w, mpz_srcptr n, mpz_srcptr d);               /* of one result */
    void (**real_qr)(mpz_ptr q, mpz_ptr r, mpz_srcptr n, mpz_srcptr d); /* of both */
};

/* A division under way: results not wanted have NULL. */
struct work {
    const struct division *f;
    struct composite whole;
    mpz_ptr q, r;
    mpz_srcptr n, d;
    size_t nn, dn, qn;
    int n_negative, q_negative; /* of the quotient towards zero */
    mp_ptr divisor;             /* a copy, where the remainder takes its place */
};

static void call_real(const struct work *k) {
    if (k->f->results == BOTH)
        (*k->f->real_qr)(k->q, k->r, k->n, k->d);
    else
        (*k->f->real)(k->q ? k->q : k->r, k->n, k->d);
}

/* x is {x->_mp_d, n}, which may have zero limbs at its top, negated if asked. */
static void set_size(mpz_ptr x, size_t n, int negative) {
    n = normalize(x->_mp_d, n);
    x->_mp_size = negative ? -(int)n : (int)n;
}

/* Whether a result with a remainder is rounded away from zero. */
static int rounds_away(const struct work *k) {
    return (k->f->rounding == FLOOR && k->q_negative) ||
           (k->f->rounding == CEILING && !k->q_negative) ||
           (k->f->rounding == MODULO && k->n_negative);
}

/* Magnitudes, towards zero; 0 if there is no memory. */
static int divide(struct work *k, int *exact) {
    mp_ptr qp = k->q ? composite_mpz_room(k->q, k->qn) : NULL,
           rp = k->r ? composite_mpz_room(k->r, k->dn) : NULL;
    mp_srcptr np = k->n->_mp_d, dp = k->divisor ? k->divisor : k->d->_mp_d;
    if (k->f->rounding == EXACT)
        return divide_exact(&k->whole, qp, np, k->nn, dp, k->dn);
    if (!rp)
        return divide_q(&k->whole, qp, exact, np, k->nn, dp, k->dn);
    if (!divide_qr(&k->whole, qp, rp, np, k->nn, dp, k->dn))
        return 0;
    *exact = mpn_zero_p(rp, (mp_size_t)k->dn);
    return 1;
}

/* |q| + 1 and |d| - |r|. */
static void round_away(struct work *k) {
    mp_size_t qn = (mp_size_t)k->qn;
    if (k->q && mpn_add_1(k->q->_mp_d, k->q->_mp_d, qn, 1)) {
        mp_ptr qp = composite_mpz_room(k->q, k->qn + 1);
        qp[k->qn++] = 1;
    }
    if (k->r)
        mpn_sub_n(k->r->_mp_d, k->divisor ? k->divisor : k->d->_mp_d, k->r->_mp_d,
                  (mp_size_t)k->dn);
}

/* The divisor is wanted after the results are there, and one of them takes its place. */
static int loses_divisor(const struct work *k) {
    return k->r && rounds_away(k) &&
           (k->r->_mp_d == k->d->_mp_d || (k->q && k->q->_mp_d == k->d->_mp_d));
}

static int keep_divisor(struct work *k) {
    if (!loses_divisor(k))
        return 1;
    k->divisor = scratch_alloc(k->dn);
    if (k->divisor)
        mpn_copyi(k->divisor, k->d->_mp_d, (mp_size_t)k->dn);
    return k->divisor != NULL;
}

/* 0, and operands and results have their values still, if there is no memory. */
static int work(struct work *k) {
    int exact = 1, done = keep_divisor(k) && divide(k, &exact), away = !exact && rounds_away(k);
    if (done && away)
        round_away(k);
    if (done && k->q)
        set_size(k->q, k->qn, k->q_negative);
    if (done && k->r)
        set_size(k->r, k->dn, k->n_negative != away);
    scratch_free(k->divisor);
    return done;
}

LARGE void division_large(const struct division *f, mpz_ptr q, mpz_ptr r, mpz_srcptr n,
                          mpz_srcptr d, size_t size) {
    COMPOSITE_FRAME;
    struct work k = {.f = f, .q = q, .r = r, .n = n, .d = d, .nn = mpz_size(n), .dn = mpz_size(d)};
    k.qn = k.nn - k.dn + 1;
    k.n_negative = n->_mp_size < 0;
    k.q_negative = (n->_mp_size ^ d->_mp_size) < 0;
    if (!composite_begin(&k.whole, f->row, size, &thresholds.div, k.nn + k.dn)) {
        call_real(&k);
        return;
    }
    if (!work(&k))
        call_real(&k);
    composite_end(&k.whole);
}

/* A small divisor, as most are, decides. */
static inline int is_small(mpz_srcptr d) {
    return call_magnitude_is_small(&d->_mp_size, &thresholds.div);
}

/* Where it does not. */

LARGE void division(const struct division *f, mpz_ptr w, mpz_srcptr n, mpz_srcptr d) {
    size_t size = divide_size(mpz_size(n), mpz_size(d));
    if (call_is_small(size, &thresholds.div))
        (*f->real)(w, n, d);
    else if (f->results == QUOTIENT)
        division_large(f, w, NULL, n, d, size);
    else
        division_large(f, NULL, w, n, d, size);
}

LARGE void division_qr(const struct division *f, mpz_ptr q, mpz_ptr r, mpz_srcptr n, mpz_srcptr d) {
    size_t size = divide_size(mpz_size(n), mpz_size(d));
    if (call_is_small(size, &thresholds.div))
        (*f->real_qr)(q, r, n, d);
    else
        division_large(f, q, r, n, d, size);
}

#define DIVISION(function, rounding, results)                                                      \
    EXPORT void function(mpz_ptr w, mpz_srcptr n, mpz_srcptr d) {                                  \
        static const struct division f = {CALL_ROW(function), rounding, results, &real.function,   \
                                          NULL};                                                   \
        if (is_small(d))                                                                           \
            real.function(w, n, d);                                                                \
        else                                                                                       \
            division(&f, w, n, d);                                                                 \
    }
#define DIVISION_QR(function, rounding)                                                            \
    EXPORT void function(mpz_ptr q, mpz_ptr r, mpz_srcptr n, mpz_srcptr d) {                       \
        static const struct division f = {CALL_ROW(function), rounding, BOTH, NULL,                \
                                          &real.function};                                         \
        if (is_small(d))                                                                           \
            real.function(q, r, n, d);                                                             \
        else                                                                                       \
            division_qr(&f, q, r, n, d);                                                           \
    }

DIVISION(mpz_tdiv_q, TRUNCATE, QUOTIENT)
DIVISION(mpz_tdiv_r, TRUNCATE, REMAINDER)
DIVISION_QR(mpz_tdiv_qr, TRUNCATE)
DIVISION(mpz_fdiv_q, FLOOR, QUOTIENT)
DIVISION(mpz_fdiv_r, FLOOR, REMAINDER)
DIVISION_QR(mpz_fdiv_qr, FLOOR)
DIVISION(mpz_cdiv_q, CEILING, QUOTIENT)
DIVISION(mpz_cdiv_r, CEILING, REMAINDER)
DIVISION_QR(mpz_cdiv_qr, CEILING)
DIVISION(mpz_mod, MODULO, REMAINDER)
DIVISION(mpz_divexact, EXACT, QUOTIENT)
