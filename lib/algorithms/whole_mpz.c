/* SPDX-License-Identifier: LGPL-3.0-or-later
 * Products of mpz inside a whole operation. */
#include "lib/algorithms/whole_mpz.h"

#include "lib/gmp/real.h"
#include "lib/gmp/target.h"

void whole_mpz_mul(struct whole *whole, mpz_ptr w, mpz_srcptr x, mpz_srcptr y) {
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
