/* SPDX-License-Identifier: LGPL-3.0-or-later
 * A program that computes COUNT products of numbers of BITS - 1 bits; by default, one small
 * product.
 * Usage: products [BITS [COUNT]] */
#include <gmp.h>
#include <stdlib.h>

int main(int argc, char **argv) {
    unsigned long bits = argc > 1 ? strtoul(argv[1], NULL, 10) : 214;
    long count = argc > 2 ? atol(argv[2]) : 1;
    mpz_t a, b, p;
    mpz_inits(a, b, p, NULL);
    mpz_setbit(a, bits - 1);
    mpz_sub_ui(a, a, 12345);
    mpz_setbit(b, bits - 1);
    mpz_sub_ui(b, b, 54321);
    while (count-- > 0)
        mpz_mul(p, a, b);
    return mpz_sgn(p) <= 0;
}
