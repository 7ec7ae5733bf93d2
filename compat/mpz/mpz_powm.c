/* SPDX-License-Identifier: LGPL-3.0-or-later
 * mpz_powm and mpz_powm_ui. GMP always computes mpz_powm_sec, because its time must not depend on
 * the operands. */
#include "compat/intercept/composite_call.h"
#include "lib/algorithms/powm.h"
#include "lib/gmp/real.h"

/* Returns the size that decides whether the call is large: the limbs of m. Returns 0 if the base is
 * 0: GMP computes that, and exponents below 2. */
static inline size_t powm_size(mpz_srcptr b, mpz_srcptr m) {
    return b->_mp_size ? mpz_size(m) : 0;
}

static inline bool exceeds_one(mpz_srcptr e) {
    return e->_mp_size > 1 || (e->_mp_size == 1 && e->_mp_d[0] > 1);
}

LARGE void powm_large(mpz_ptr r, mpz_srcptr b, mpz_srcptr e, mpz_srcptr m) {
    CALL_RESULTS(w, x, (r), CALL_ROW(mpz_powm), exceeds_one(e) ? powm_size(b, m) : 0,
                 &thresholds.powm, mpz_size(m), powm_mpz(w, x[0], b, e->_mp_d, mpz_size(e), m),
                 real.mpz_powm(r, b, e, m));
}

EXPORT void mpz_powm(mpz_ptr r, mpz_srcptr b, mpz_srcptr e, mpz_srcptr m) {
    INTERCEPT(thresholds_magnitude_is_small(&m->_mp_size, &thresholds.powm),
              real.mpz_powm(r, b, e, m), powm_large(r, b, e, m));
}

LARGE void powm_ui_large(mpz_ptr r, mpz_srcptr b, unsigned long e, mpz_srcptr m) {
    const mp_limb_t limb = e;
    CALL_RESULTS(w, x, (r), CALL_ROW(mpz_powm_ui), e > 1 ? powm_size(b, m) : 0, &thresholds.powm,
                 mpz_size(m), powm_mpz(w, x[0], b, &limb, 1, m), real.mpz_powm_ui(r, b, e, m));
}

EXPORT void mpz_powm_ui(mpz_ptr r, mpz_srcptr b, unsigned long e, mpz_srcptr m) {
    INTERCEPT(thresholds_magnitude_is_small(&m->_mp_size, &thresholds.powm),
              real.mpz_powm_ui(r, b, e, m), powm_ui_large(r, b, e, m));
}
