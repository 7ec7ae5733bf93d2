/* SPDX-License-Identifier: LGPL-3.0-or-later
 * Steps of the operations on fractions. */
#include "mpq.h"

#include "real.h"
#include "target.h"

size_t mpq_limbs(mpq_srcptr u, mpq_srcptr v) {
    return mpz_size(mpq_numref(u)) + mpz_size(mpq_denref(u)) + mpz_size(mpq_numref(v)) +
           mpz_size(mpq_denref(v));
}

void mpq_product(struct whole *whole, mpz_ptr w, mpz_srcptr x, mpz_srcptr y) {
    struct target t;
    size_t xn = mpz_size(x), yn = mpz_size(y);
    if (xn == 0 || yn == 0 || !target_open(&t, w, x->_mp_d, y->_mp_d, xn + yn)) {
        real.mpz_mul(w, x, y);
        return;
    }
    int negative = (x->_mp_size ^ y->_mp_size) < 0;
    whole_mul(whole, t.rp, x->_mp_d, xn, y->_mp_d, yn);
    target_keep(&t, xn + yn, negative);
}

void mpq_gcd(struct whole *whole, mpz_ptr g, mpz_srcptr x, mpz_srcptr y) {
    call_open();
    mpz_gcd(g, x, y);
    call_close(&whole->call);
}

void mpq_quotient(struct whole *whole, mpz_ptr q, mpz_srcptr x, mpz_srcptr g) {
    call_open();
    mpz_divexact(q, x, g);
    call_close(&whole->call);
}
