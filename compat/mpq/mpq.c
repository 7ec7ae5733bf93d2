/* SPDX-License-Identifier: LGPL-3.0-or-later
 * Steps of the operations on fractions. */
#include "compat/mpq/mpq.h"

size_t mpq_limbs(mpq_srcptr u, mpq_srcptr v) {
    return mpz_size(mpq_numref(u)) + mpz_size(mpq_denref(u)) + mpz_size(mpq_numref(v)) +
           mpz_size(mpq_denref(v));
}

void mpq_gcd(struct composite *whole, mpz_ptr g, mpz_srcptr x, mpz_srcptr y) {
    call_open();
    mpz_gcd(g, x, y);
    call_close(&whole->call);
}

void mpq_quotient(struct composite *whole, mpz_ptr q, mpz_srcptr x, mpz_srcptr g) {
    call_open();
    mpz_divexact(q, x, g);
    call_close(&whole->call);
}
