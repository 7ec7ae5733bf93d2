/* SPDX-License-Identifier: LGPL-3.0-or-later
 * mpz_bin_uiui and mpz_bin_ui. */
#include "compat/intercept/composite_call.h"
#include "lib/algorithms/binomial.h"
#include "lib/gmp/real.h"

LARGE void bin_uiui_large(mpz_ptr r, unsigned long n, unsigned long k) {
    size_t size = binomial_size(n, k);
    CALL_RESULTS(w, x, (r), CALL_ROW(mpz_bin_uiui), size, &thresholds.fac, size,
                 binomial_ui(w, x[0], n, k), real.mpz_bin_uiui(r, n, k));
}

/* Decides whether the call is large by two upper bounds of the result: C(n, k) is at most n^k, and
 * at most 2^n. */
EXPORT void mpz_bin_uiui(mpz_ptr r, unsigned long n, unsigned long k) {
    INTERCEPT(thresholds_is_small(k, &thresholds.fac) ||
                  thresholds_is_small(n / GMP_NUMB_BITS, &thresholds.fac),
              real.mpz_bin_uiui(r, n, k), bin_uiui_large(r, n, k));
}

/* Sets m to the nonnegative upper number of the binomial: m = n for n >= 0. For n < 0, m = k - n -
 * 1, since C(n, k) = (-1)^k C(k-n-1, k). Returns true if the result must be negated. */
static bool upper(mpz_ptr m, mpz_srcptr n, unsigned long k) {
    if (n->_mp_size >= 0) {
        mpz_set(m, n);
        return false;
    }
    mpz_neg(m, n);
    real.mpz_add_ui(m, m, k);
    real.mpz_sub_ui(m, m, 1);
    return k & 1;
}

static bool bin_mpz(struct composite *w, mpz_ptr r, mpz_srcptr m, unsigned long k, bool negative) {
    bool done = binomial_mpz(w, r, m, k);
    if (done && negative)
        r->_mp_size = -r->_mp_size;
    return done;
}

/* Returns true if the result is short: it is a product of at most k factors of at most nn + 1
 * limbs. nn is an upper bound of n's limbs. In the fast path nn is huge if n is negative, so the
 * result counts as long. */
static inline bool bin_ui_is_small(size_t nn, unsigned long k) {
    long most;
    return !__builtin_mul_overflow((long)nn + 1, (long)k, &most) &&
           thresholds_is_small((size_t)most, &thresholds.fac);
}

static void bin_ui(mpz_ptr r, mpz_srcptr n, unsigned long k) {
    mpz_t m;
    struct memory_scratch scratch;
    memory_scratch_begin(&scratch);
    mpz_init(m);
    bool negative = upper(m, n, k);
    memory_scratch_end(&scratch);
    size_t size = binomial_mpz_size(m, k);
    CALL_RESULTS(w, x, (r), CALL_ROW(mpz_bin_ui), size, &thresholds.fac, size,
                 bin_mpz(w, x[0], m, k, negative), real.mpz_bin_ui(r, n, k));
    mpz_clear(m);
}

/* Initialises the library first, because the decision whether the call is large needs other
 * functions of GMP. */
LARGE void bin_ui_large(mpz_ptr r, mpz_srcptr n, unsigned long k) {
    call_init();
    if (bin_ui_is_small(mpz_size(n), k))
        real.mpz_bin_ui(r, n, k);
    else
        bin_ui(r, n, k);
}

EXPORT void mpz_bin_ui(mpz_ptr r, mpz_srcptr n, unsigned long k) {
    INTERCEPT(bin_ui_is_small((unsigned)n->_mp_size, k), real.mpz_bin_ui(r, n, k),
              bin_ui_large(r, n, k));
}
