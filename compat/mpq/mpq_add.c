/* SPDX-License-Identifier: LGPL-3.0-or-later
 * mpq_add and mpq_sub.  What the denominators have in common is taken out first, and
 * what it then still shares with the sum, as GMP does it (Knuth 4.5.1). */
#include "compat/mpq/mpq.h"
#include "lib/gmp/real.h"

struct operation {
    enum call_row row;
    void (**combine)(mpz_ptr w, mpz_srcptr x, mpz_srcptr y); /* real.mpz_add or mpz_sub */
};

/* r = u + v, where the denominators are g * c and g * d. */
static void combine(struct composite *whole, const struct operation *f, mpq_ptr r, mpq_srcptr u,
                    mpq_srcptr v, mpz_ptr g, mpz_ptr c, mpz_ptr d) {
    mpz_t sum, t;
    mpz_init(sum);
    mpz_init(t);
    composite_mpz_mul(whole, sum, mpq_numref(u), d);
    composite_mpz_mul(whole, t, mpq_numref(v), c);
    (*f->combine)(sum, sum, t);
    mpz_set(d, mpq_denref(v));
    if (mpz_cmp_ui(g, 1) != 0) {
        mpq_gcd(whole, g, sum, g);
        mpq_quotient(whole, sum, sum, g);
        mpq_quotient(whole, d, d, g);
    }
    mpz_swap(mpq_numref(r), sum);
    composite_mpz_mul(whole, mpq_denref(r), c, d);
    mpz_clear(sum);
    mpz_clear(t);
}

static inline size_t add_size(mpq_srcptr u, mpq_srcptr v) {
    return mpq_larger(mpq_smaller(mpq_denref(u), mpq_denref(v)),
                      mpq_larger(mpq_smaller(mpq_numref(u), mpq_denref(v)),
                                 mpq_smaller(mpq_denref(u), mpq_numref(v))));
}

static int add(const struct operation *f, mpq_ptr r, mpq_srcptr u, mpq_srcptr v) {
    struct composite whole;
    mpz_t g, c, d;
    if (!composite_begin(&whole, f->row, add_size(u, v), &thresholds.mul, mpq_limbs(u, v)))
        return 0;
    mpz_init(g);
    mpz_init(c);
    mpz_init(d);
    mpq_gcd(&whole, g, mpq_denref(u), mpq_denref(v));
    mpq_quotient(&whole, c, mpq_denref(u), g);
    mpq_quotient(&whole, d, mpq_denref(v), g);
    combine(&whole, f, r, u, v, g, c, d);
    mpz_clear(g);
    mpz_clear(c);
    mpz_clear(d);
    composite_end(&whole);
    return 1;
}

LARGE void add_large(mpq_ptr r, mpq_srcptr u, mpq_srcptr v) {
    COMPOSITE_FRAME;
    static const struct operation f = {CALL_ROW(mpq_add), &real.mpz_add};
    if (!add(&f, r, u, v))
        real.mpq_add(r, u, v);
}

LARGE void sub_large(mpq_ptr r, mpq_srcptr u, mpq_srcptr v) {
    COMPOSITE_FRAME;
    static const struct operation f = {CALL_ROW(mpq_sub), &real.mpz_sub};
    if (!add(&f, r, u, v))
        real.mpq_sub(r, u, v);
}

/* Each product has a denominator. */
static inline int is_small(mpq_srcptr u, mpq_srcptr v) {
    return mpq_is_small(mpq_denref(u), mpq_denref(v));
}

EXPORT void mpq_add(mpq_ptr r, mpq_srcptr u, mpq_srcptr v) {
    if (is_small(u, v))
        real.mpq_add(r, u, v);
    else
        add_large(r, u, v);
}

EXPORT void mpq_sub(mpq_ptr r, mpq_srcptr u, mpq_srcptr v) {
    if (is_small(u, v))
        real.mpq_sub(r, u, v);
    else
        sub_large(r, u, v);
}
