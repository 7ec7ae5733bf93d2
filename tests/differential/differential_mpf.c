/* SPDX-License-Identifier: LGPL-3.0-or-later
 * Compares mpf functions with GMP's results limb by limb, with precisions below and above the
 * operands'. */
#include <stdio.h>
#include <stdlib.h>

#include "tests/differential/differential.h"

/* Sets x, with a precision for n limbs, to 0 or to a random number of n limbs. */
static void random_mpf(struct run *run, mpf_ptr x, size_t n) {
    mpf_init2(x, n * GMP_NUMB_BITS);
    if (run_below(run, 16) == 0)
        return;
    run_limbs(run, x->_mp_d, n);
    x->_mp_d[n - 1] |= x->_mp_d[n - 1] == 0;
    x->_mp_size = run_below(run, 2) ? (int)n : -(int)n;
    x->_mp_exp = (mp_exp_t)run_below(run, 2000) - 1000;
}

static size_t limbs_of(mpf_srcptr x) {
    return (size_t)abs(x->_mp_size);
}

static int same_mpf(mpf_srcptr x, mpf_srcptr y) {
    return x->_mp_size == y->_mp_size && x->_mp_exp == y->_mp_exp && x->_mp_prec == y->_mp_prec &&
           same_limbs(x->_mp_d, y->_mp_d, limbs_of(x));
}

struct operation {
    const char *name;
    void (*apply)(const struct reference *f, mpf_ptr w, mpf_srcptr u, mpf_srcptr v);
    int (*is_eligible)(mpf_srcptr w, mpf_srcptr u, mpf_srcptr v);
    int is_quotient;
};

static int both(mpf_srcptr w, mpf_srcptr u, mpf_srcptr v) {
    (void)w;
    return mpf_sgn(u) && mpf_sgn(v);
}

/* Returns whether the division needs products that the device can compute: quotient and divisor
 * must be long enough (lib/algorithms/divide.c). */
static int divides(mpf_srcptr w, mpf_srcptr u, mpf_srcptr v) {
    return mpf_sgn(u) && limbs_of(v) >= 16 && w->_mp_prec >= 16;
}

static void apply_mul(const struct reference *f, mpf_ptr w, mpf_srcptr u, mpf_srcptr v) {
    f->mpf_mul(w, u, v);
}

static void apply_div(const struct reference *f, mpf_ptr w, mpf_srcptr u, mpf_srcptr v) {
    f->mpf_div(w, u, v);
}

/* Divides a word by v.  The word is u's lowest limb with bit 0 set; it is 0 if u is 0. */
static void apply_ui_div(const struct reference *f, mpf_ptr w, mpf_srcptr u, mpf_srcptr v) {
    f->mpf_ui_div(w, mpf_sgn(u) ? u->_mp_d[0] | 1 : 0, v);
}

static int has_root(mpf_srcptr w, mpf_srcptr u, mpf_srcptr v) {
    (void)v;
    return mpf_sgn(u) && w->_mp_prec >= 32;
}

/* Takes the root of |u|, because a negative number has no root. */
static void apply_sqrt(const struct reference *f, mpf_ptr w, mpf_srcptr u, mpf_srcptr v) {
    mpf_t positive = {*u};
    (void)v;
    positive->_mp_size = abs(u->_mp_size);
    f->mpf_sqrt(w, w == u && u->_mp_size > 0 ? u : positive);
}

static void apply_sqrt_ui(const struct reference *f, mpf_ptr w, mpf_srcptr u, mpf_srcptr v) {
    (void)v;
    f->mpf_sqrt_ui(w, mpf_sgn(u) ? u->_mp_d[0] | 2 : (unsigned long)w->_mp_prec % 2);
}

/* Compares the intercepted function with GMP's.  GMP's result is always a separate variable; the
 * intercepted function's result may overwrite an operand. */
static int compare(struct run *run, const struct operation *f, mpf_ptr w, mpf_srcptr u,
                   mpf_srcptr v) {
    mpf_t wanted;
    size_t un = limbs_of(u), vn = limbs_of(v);
    mpf_init2(wanted, mpf_get_prec(w));
    f->apply(run->reference, wanted, u, v);
    run->eligible += f->is_eligible(w, u, v) != 0;
    f->apply(&intercepted, w, u, v);
    int good = same_mpf(w, wanted);
    if (!good)
        fprintf(stderr, "differential: %s, %zu and %zu limbs to %ld%s%s: wrong\n", f->name, un, vn,
                (long)w->_mp_prec,
                w == u   ? ", to u"
                : w == v ? ", to v"
                         : "",
                u == v ? ", u = v" : "");
    mpf_clear(wanted);
    return good;
}

static int run_case(struct run *run, const void *how) {
    const struct operation *f = how;
    mpf_t w, u, v;
    size_t un, vn;
    run_sizes(run, &un, &vn);
    random_mpf(run, u, un);
    random_mpf(run, v, vn);
    random_mpf(run, w, 1 + run_below(run, un + vn + 1));
    mpf_ptr numbers[] = {u, v, w};
    if (f->is_quotient && !mpf_sgn(v))
        mpf_set_ui(v, 3); /* replaces a divisor 0 */
    mpf_ptr to = numbers[run_below(run, 3)];
    mpf_srcptr first = numbers[run_below(run, 2)], second = numbers[run_below(run, 2)];
    if (f->is_quotient && !mpf_sgn(second))
        second = v;
    /* The precision for which limbs are allocated.  A lower precision leaves some of these limbs
     * unused. */
    mp_bitcnt_t precision = mpf_get_prec(to);
    if (run_below(run, 2))
        mpf_set_prec_raw(to, 1 + run_below(run, precision));
    int good = compare(run, f, to, first, second);
    mpf_set_prec_raw(to, precision);
    mpf_clears(w, u, v, NULL);
    return good;
}

#define CASE(function, apply, is_eligible, is_quotient)                                            \
    {                                                                                              \
#function, run_case, &(const struct operation) {                                           \
#function, apply, is_eligible, is_quotient                                             \
        }                                                                                          \
    }

const struct differential_case differential_mpf[] = {
    CASE(mpf_mul, apply_mul, both, 0),
    CASE(mpf_div, apply_div, divides, 1),
    CASE(mpf_ui_div, apply_ui_div, divides, 1),
    CASE(mpf_sqrt, apply_sqrt, has_root, 0),
    CASE(mpf_sqrt_ui, apply_sqrt_ui, has_root, 0),
    {NULL, NULL, NULL},
};
