/* SPDX-License-Identifier: LGPL-3.0-or-later
 * mpn_tdiv_qr. */
#include "compat/intercept/composite_call.h"
#include "lib/algorithms/divide.h"
#include "lib/gmp/real.h"

LARGE void tdiv_qr_large(mp_ptr qp, mp_ptr rp, mp_size_t qxn, mp_srcptr np, mp_size_t nn,
                         mp_srcptr dp, mp_size_t dn, size_t size) {
    CALL_COMPOSITE(w, CALL_ROW(mpn_tdiv_qr), size, &thresholds.div, (size_t)(nn + dn),
                   divide_qr(w, qp, rp, np, (size_t)nn, dp, (size_t)dn),
                   (call_results(gmp_call, qp, (size_t)(nn - dn + 1), rp, (size_t)dn),
                    real.mpn_tdiv_qr(qp, rp, qxn, np, nn, dp, dn)));
}

LARGE void tdiv_qr_perhaps(mp_ptr qp, mp_ptr rp, mp_size_t qxn, mp_srcptr np, mp_size_t nn,
                           mp_srcptr dp, mp_size_t dn) {
    size_t size = qxn ? 0 : divide_size((size_t)nn, (size_t)dn);
    INTERCEPT(thresholds_is_small(size, &thresholds.div),
              real.mpn_tdiv_qr(qp, rp, qxn, np, nn, dp, dn),
              tdiv_qr_large(qp, rp, qxn, np, nn, dp, dn, size));
}

/* Divides; GMP demands that qxn is 0. Compares nn with the threshold, not dn: nn is a register
 * argument, so the comparison needs no memory access. */
EXPORT void mpn_tdiv_qr(mp_ptr qp, mp_ptr rp, mp_size_t qxn, mp_srcptr np, mp_size_t nn,
                        mp_srcptr dp, ON_STACK mp_size_t dn) {
    INTERCEPT(thresholds_is_small((size_t)nn, &thresholds.div),
              real.mpn_tdiv_qr(qp, rp, qxn, np, nn, dp, dn),
              tdiv_qr_perhaps(qp, rp, qxn, np, nn, dp, dn));
}
