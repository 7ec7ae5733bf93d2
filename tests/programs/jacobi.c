/* SPDX-License-Identifier: LGPL-3.0-or-later
 * The Jacobi symbol of two large numbers, in which GMP multiplies; the program itself
 * calls nothing that is intercepted. */
#include <gmp.h>
#include <stdio.h>

int main(void) {
    mpz_t a, b;
    mpz_inits(a, b, NULL);
    mpz_setbit(a, 60000);
    mpz_setbit(a, 37);
    mpz_setbit(b, 59001);
    mpz_setbit(b, 0);
    printf("%d\n", mpz_jacobi(a, b));
    mpz_clears(a, b, NULL);
    return 0;
}
