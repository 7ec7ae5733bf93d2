/* SPDX-License-Identifier: LGPL-3.0-or-later
 * Sizes of fractions in limbs. */
#include "compat/mpq/mpq.h"

size_t mpq_limbs(mpq_srcptr u, mpq_srcptr v) {
    return mpz_size(mpq_numref(u)) + mpz_size(mpq_denref(u)) + mpz_size(mpq_numref(v)) +
           mpz_size(mpq_denref(v));
}
