/* SPDX-License-Identifier: LGPL-3.0-or-later
 * Products modulo one number. */
#include "lib/algorithms/theory/modular.h"

#include "lib/algorithms/scratch.h"
#include "lib/gmp/normalize.h"
#include "lib/gmp/real.h"

bool modular_init(struct modular *m, struct composite *w, mpz_srcptr n) {
    size_t limbs = mpz_size(n);
    *m = (struct modular){.w = w, .n = n};
    m->product = scratch_alloc(2 * limbs);
    if (m->product && divisor_open(&m->v, w, n->_mp_d, limbs, 2 * limbs))
        return true;
    scratch_free(m->product);
    return false;
}

void modular_clear(struct modular *m) {
    scratch_free(m->product);
    divisor_close(&m->v);
}

/* r = {m->product, n} modulo the number m->n */
static void reduce(struct modular *m, mpz_ptr r, size_t n) {
    size_t limbs = m->v.dn;
    mp_ptr rp = composite_mpz_grow(r, limbs);
    n = normalize(m->product, n);
    if (n < limbs) {
        limbs = n;
        mpn_copyi(rp, m->product, (mp_size_t)n);
    } else
        divisor_qr(&m->v, NULL, rp, m->product, n);
    r->_mp_size = (int)normalize(rp, limbs);
}

void modular_mul(struct modular *m, mpz_ptr r, mpz_srcptr x, mpz_srcptr y) {
    size_t xn = mpz_size(x), yn = mpz_size(y);
    if (xn == 0 || yn == 0) {
        r->_mp_size = 0;
        return;
    }
    composite_mul(m->w, m->product, x->_mp_d, xn, y->_mp_d, yn);
    reduce(m, r, xn + yn);
}

void modular_sub(struct modular *m, mpz_ptr r, mpz_srcptr x, mpz_srcptr c) {
    real.mpz_sub(r, x, c);
    if (r->_mp_size < 0)
        real.mpz_add(r, r, m->n);
    else if (mpz_cmp(r, m->n) >= 0)
        real.mpz_sub(r, r, m->n);
}

bool modular_is_minus_1(const struct modular *m, mpz_srcptr x) {
    mpz_t next;
    mpz_init(next);
    real.mpz_add_ui(next, x, 1);
    bool is_it = mpz_cmp(next, m->n) == 0;
    mpz_clear(next);
    return is_it;
}
