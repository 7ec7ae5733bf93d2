/* SPDX-License-Identifier: LGPL-3.0-or-later
 * A program that makes one small product. */
#include <gmp.h>

int main(void) {
    mpz_t a;
    mpz_init_set_ui(a, 12345);
    mpz_mul_2exp(a, a, 200);
    mpz_mul(a, a, a);
    return mpz_sizeinbase(a, 2) != 428;
}
