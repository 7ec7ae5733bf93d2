/* SPDX-License-Identifier: LGPL-3.0-or-later
 * mpf_mul: precisions below and above those of the operands, limb for limb. */
#include "differential.h"

#include <stdio.h>
#include <stdlib.h>

/* A number of n limbs, or 0, which its precision just holds. */
static void random_mpf(struct run *run, mpf_ptr x, size_t n) {
    mpf_init2(x, n * GMP_NUMB_BITS);
    if (run_below(run, 16) == 0)
        return;
    run_limbs(run, x->_mp_d, n);
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

/* mpf_mul(w, u, v), by the intercepted one, beside GMP's for a result of its own. */
static int compare(struct run *run, mpf_ptr w, mpf_srcptr u, mpf_srcptr v) {
    mpf_t wanted;
    size_t un = limbs_of(u), vn = limbs_of(v);
    mpf_init2(wanted, mpf_get_prec(w));
    run->reference->mpf_mul(wanted, u, v);
    run->eligible += un && vn;
    mpf_mul(w, u, v);
    int good = same_mpf(w, wanted);
    if (!good)
        fprintf(stderr, "differential: mpf_mul, %zu and %zu limbs to %ld%s%s: wrong\n", un, vn,
                (long)w->_mp_prec,
                w == u   ? ", to u"
                : w == v ? ", to v"
                         : "",
                u == v ? ", u = v" : "");
    mpf_clear(wanted);
    return good;
}

static int run_mul(struct run *run, const void *how) {
    mpf_t w, u, v;
    size_t un, vn;
    (void)how;
    run_sizes(run, &un, &vn);
    random_mpf(run, u, un);
    random_mpf(run, v, vn);
    random_mpf(run, w, 1 + run_below(run, un + vn + 1));
    mpf_ptr numbers[] = {u, v, w};
    mpf_ptr to = numbers[run_below(run, 3)];
    mp_bitcnt_t precision = mpf_get_prec(to); /* of its room; lowered, it has limbs to spare */
    if (run_below(run, 2))
        mpf_set_prec_raw(to, 1 + run_below(run, precision));
    int good = compare(run, to, numbers[run_below(run, 2)], numbers[run_below(run, 2)]);
    mpf_set_prec_raw(to, precision);
    mpf_clears(w, u, v, NULL);
    return good;
}

const struct differential_case differential_mpf[] = {
    {"mpf_mul", run_mul, NULL},
    {NULL, NULL, NULL},
};
