/* SPDX-License-Identifier: LGPL-3.0-or-later
 * mpf_pow_ui: computes the power by squares and products, for each exponent bit from the top.
 * Truncates as mpf_mul does, with one limb more than r's precision until the last product. */
#include <stdlib.h>

#include "compat/intercept/composite_call.h"
#include "compat/mpf/mpf.h"
#include "lib/algorithms/power.h"
#include "lib/gmp/real.h"
#include "lib/memory/wipe.h"

struct power {
    mpf_srcptr b;
    mpf_t x; /* the power of b for the exponent bits processed so far */
    mp_ptr product;
    size_t bytes;
};

/* Multiplies p->x by v. Stores the product in r, which is p->x or, in the last step, the result of
 * the call. */
static void multiply(struct composite *w, struct power *p, mpf_ptr r, mpf_srcptr v) {
    size_t prec = (size_t)r->_mp_prec;
    struct mpf_limbs a = mpf_upper(p->x, prec), c = mpf_upper(v, prec);
    bool negative = (p->x->_mp_size ^ v->_mp_size) < 0;
    mp_exp_t exp = p->x->_mp_exp + v->_mp_exp;
    composite_mul(w, p->product, a.p, a.n, c.p, c.n);
    mpf_keep(r, p->product, a.n + c.n, exp, negative);
}

/* Computes the power r = p->b^e for e >= 2. */
static void raise(struct composite *w, struct power *p, mpf_ptr r, unsigned long e) {
    for (int i = 62 - __builtin_clzl(e); i >= 0; i--) {
        bool times = e >> i & 1;
        multiply(w, p, i == 0 && !times ? r : p->x, p->x);
        if (times)
            multiply(w, p, i == 0 ? r : p->x, p->b);
    }
}

static bool power(struct composite *w, mpf_ptr r, mpf_srcptr b, unsigned long e) {
    size_t limbs = (size_t)r->_mp_prec + 2;
    struct power p = {.b = b, .bytes = 3 * limbs * sizeof(mp_limb_t)};
    p.product = malloc(p.bytes);
    if (!p.product)
        return false;
    struct mpf_limbs u = mpf_upper(b, limbs);
    *p.x = (__mpf_struct){r->_mp_prec + 1, b->_mp_size < 0 ? -(int)u.n : (int)u.n, b->_mp_exp,
                          p.product + 2 * limbs};
    mpn_copyi(p.x->_mp_d, u.p, (mp_size_t)u.n);
    raise(w, &p, r, e);
    wipe_free(p.product, p.bytes);
    return true;
}

/* Returns the number of limbs of the last product: the limbs of the exact power, or r's precision
 * if that is less. */
static size_t size_of(mpf_srcptr r, mpf_srcptr b, unsigned long e) {
    size_t prec = (size_t)r->_mp_prec;
    return b->_mp_size ? min_u64(prec, power_limbs(b->_mp_d, mpf_size_of(b), e)) : 0;
}

LARGE void pow_ui_large(mpf_ptr r, mpf_srcptr b, unsigned long e) {
    size_t size = size_of(r, b, e);
    CALL_COMPOSITE(w, CALL_ROW(mpf_pow_ui), size, &thresholds.pow, size, power(w, r, b, e),
                   real.mpf_pow_ui(r, b, e));
}

EXPORT void mpf_pow_ui(mpf_ptr r, mpf_srcptr b, unsigned long e) {
    INTERCEPT(thresholds_is_small((size_t)r->_mp_prec, &thresholds.pow), real.mpf_pow_ui(r, b, e),
              pow_ui_large(r, b, e));
}
