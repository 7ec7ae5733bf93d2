/* SPDX-License-Identifier: LGPL-3.0-or-later
 * Functions that several operations on mpf use. */
#include "compat/mpf/mpf.h"

#include <string.h>

struct mpf_limbs mpf_upper(mpf_srcptr x, size_t most) {
    size_t n = mpf_size_of(x), skip = n > most ? n - most : 0;
    return (struct mpf_limbs){x->_mp_d + skip, n - skip};
}

mp_srcptr mpf_lengthen(struct mpf_limbs u, size_t n, mp_ptr tp) {
    if (u.n == n)
        return u.p;
    memset(tp, 0, (n - u.n) * sizeof *tp);
    mpn_copyi(tp + (n - u.n), u.p, (mp_size_t)u.n);
    return tp;
}

void mpf_keep(mpf_ptr r, mp_srcptr tp, size_t n, mp_exp_t exp, int negative) {
    size_t most = (size_t)r->_mp_prec + 1;
    if (tp[n - 1] == 0) {
        n--;
        exp--;
    }
    size_t skip = n > most ? n - most : 0;
    n -= skip;
    mpn_copyi(r->_mp_d, tp + skip, (mp_size_t)n);
    r->_mp_size = negative ? -(int)n : (int)n;
    r->_mp_exp = exp;
}
