/* SPDX-License-Identifier: LGPL-3.0-or-later
 * mpfr_client BITS: a plain MPFR program.  Prints results of arithmetic and roots with BITS
 * bits, and of constants and elementary functions with fewer bits, in hexadecimal; the last one in
 * decimal, too. */
#include <stdio.h>
#include <stdlib.h>

#include <mpfr.h>

static void print(const char *name, mpfr_t x) {
    printf("%s ", name);
    mpfr_out_str(stdout, 16, 0, x, MPFR_RNDN);
    putchar('\n');
}

static void arithmetic(mpfr_t r, mpfr_t x, mpfr_t y) {
    mpfr_mul(r, x, y, MPFR_RNDN);
    print("product", r);
    mpfr_sqr(r, x, MPFR_RNDU);
    print("square", r);
    mpfr_fma(r, x, y, x, MPFR_RNDZ);
    print("fma", r);
    mpfr_div(r, x, y, MPFR_RNDD);
    print("quotient", r);
    mpfr_sqrt(r, x, MPFR_RNDN);
    print("root", r);
    mpfr_cbrt(r, y, MPFR_RNDN);
    print("cube root", r);
    mpfr_pow_ui(r, x, 1000003, MPFR_RNDN);
    print("power", r);
}

static void functions(mpfr_t r, mpfr_t x) {
    mpfr_const_pi(r, MPFR_RNDN);
    print("pi", r);
    mpfr_log(r, x, MPFR_RNDN);
    print("logarithm", r);
    mpfr_exp(r, x, MPFR_RNDN);
    print("exponential", r);
}

int main(int argc, char **argv) {
    mpfr_prec_t bits = argc == 2 ? atol(argv[1]) : 0;
    if (bits < MPFR_PREC_MIN)
        return 2;
    gmp_randstate_t state;
    mpfr_t x, y, r;
    mpfr_inits2(bits, x, y, r, (mpfr_ptr)0);
    gmp_randinit_mt(state);
    mpfr_urandomb(x, state);
    mpfr_urandomb(y, state);
    mpfr_add_ui(x, x, 1, MPFR_RNDN);
    arithmetic(r, x, y);
    /* the elementary functions compute many products, so the precision is lower */
    mpfr_prec_t fewer = bits / 16 + 64;
    mpfr_set_prec(r, fewer);
    functions(r, x);
    mpfr_out_str(stdout, 10, 0, r, MPFR_RNDN);
    putchar('\n');
    mpfr_clears(x, y, r, (mpfr_ptr)0);
    gmp_randclear(state);
    mpfr_free_cache();
    return 0;
}
