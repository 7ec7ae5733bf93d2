/* SPDX-License-Identifier: LGPL-3.0-or-later
 * Computes products and checks them by residues, in plain GMP test programs. */
#ifndef MPGPU_PRODUCTS_H
#define MPGPU_PRODUCTS_H

#include <gmp.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static inline _Noreturn void fail(const char *what) {
    printf("FAILED: %s\n", what);
    fflush(stdout);
    _Exit(99);
}

/* Sets x to an odd number with a length of bits + 1 bits. */
static inline void number(mpz_t x, unsigned long bits) {
    mpz_ui_pow_ui(x, 3, bits / 2);
    mpz_setbit(x, bits);
}

/* Returns true if r = u v modulo a word; mpz_fdiv_ui computes the residues. */
static inline int is_product(const mpz_t r, const mpz_t u, const mpz_t v) {
    const unsigned long m = 0xc3a5c85bul;
    return mpz_fdiv_ui(u, m) * mpz_fdiv_ui(v, m) % m == mpz_fdiv_ui(r, m);
}

/* Squares a number of `bits` bits.  Ends the program if the result is wrong. */
static inline void multiply(unsigned long bits) {
    mpz_t u, r;
    mpz_init(u);
    mpz_init(r);
    number(u, bits);
    mpz_mul(r, u, u);
    if (!is_product(r, u, u))
        fail("wrong product");
    mpz_clear(u);
    mpz_clear(r);
}

#endif
