/* SPDX-License-Identifier: LGPL-3.0-or-later
 * mpn_divexact, which gmp.h does not declare. */
#include "compat/intercept/composite_call.h"
#include "lib/algorithms/divide.h"
#include "lib/gmp/real.h"

LARGE void divexact_large(mp_ptr qp, mp_srcptr np, mp_size_t nn, mp_srcptr dp, mp_size_t dn) {
    CALL_COMPOSITE(w, CALL_ROW(mpn_divexact), divide_size((size_t)nn, (size_t)dn), &thresholds.div,
                   (size_t)(nn + dn), divide_exact(w, qp, np, (size_t)nn, dp, (size_t)dn),
                   (call_results(gmp_call, qp, (size_t)(nn - dn + 1), NULL, 0),
                    real.mpn_divexact(qp, np, nn, dp, dn)));
}

EXPORT void mpn_divexact(mp_ptr qp, mp_srcptr np, mp_size_t nn, mp_srcptr dp, mp_size_t dn) {
    INTERCEPT(thresholds_is_small((size_t)dn, &thresholds.div) ||
                  thresholds_is_small(divide_size((size_t)nn, (size_t)dn), &thresholds.div),
              real.mpn_divexact(qp, np, nn, dp, dn), divexact_large(qp, np, nn, dp, dn));
}
