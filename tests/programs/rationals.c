/* SPDX-License-Identifier: LGPL-3.0-or-later
 * Compares two large rationals, for which GMP multiplies internally.  The program itself calls no
 * intercepted function. */
#include <gmp.h>
#include <stdio.h>

/* Sets x to a number of 60001 bits.  All numerators and denominators have this size, so that GMP
 * must multiply to compare the fractions. */
static void fill(mpz_ptr x, unsigned long low) {
    mpz_setbit(x, 60000);
    mpz_setbit(x, low);
}

int main(void) {
    mpq_t a, b;
    mpq_inits(a, b, NULL);
    mpz_set_ui(mpq_denref(a), 0);
    mpz_set_ui(mpq_denref(b), 0);
    fill(mpq_numref(a), 37);
    fill(mpq_denref(a), 1000);
    fill(mpq_numref(b), 41);
    fill(mpq_denref(b), 999);
    printf("%d\n", mpq_cmp(a, b) > 0);
    mpq_clears(a, b, NULL);
    return 0;
}
