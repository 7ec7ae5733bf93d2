/* SPDX-License-Identifier: LGPL-3.0-or-later
 * Products of mpz inside a composite operation. */
#include "lib/algorithms/composite_mpz.h"

#include "lib/gmp/real.h"
#include "lib/gmp/result.h"

void composite_mpz_mul(struct composite *w, mpz_ptr r, mpz_srcptr x, mpz_srcptr y) {
    struct result t;
    size_t xn = mpz_size(x), yn = mpz_size(y);
    if (xn == 0 || yn == 0 || !result_open(&t, r, x->_mp_d, y->_mp_d, xn + yn)) {
        real.mpz_mul(r, x, y);
        return;
    }
    bool negative = (x->_mp_size ^ y->_mp_size) < 0;
    composite_mul(w, t.rp, x->_mp_d, xn, y->_mp_d, yn);
    result_keep(&t, xn + yn, negative);
}
