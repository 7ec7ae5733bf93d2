/* SPDX-License-Identifier: LGPL-3.0-or-later
 * flint_client BITS: a plain FLINT program without any reference to this library.  It computes with
 * integers of about BITS bits, and with polynomials and matrices. */
#include <flint/flint.h>
#include <flint/fmpz.h>
#include <flint/fmpz_mat.h>
#include <flint/fmpz_poly.h>
#include <stdio.h>
#include <stdlib.h>

static void print(const char *name, const fmpz_t x) {
    printf("%s ", name);
    fmpz_print(x);
    putchar('\n');
}

static void integers(flint_rand_t state, mp_bitcnt_t bits) {
    fmpz_t a, b, r;
    fmpz_init(a);
    fmpz_init(b);
    fmpz_init(r);
    fmpz_randbits(a, state, bits);
    fmpz_randbits(b, state, bits - bits / 5);
    fmpz_mul(r, a, b);
    print("product", r);
    fmpz_fdiv_q(r, r, a);
    print("quotient", r);
    fmpz_mod(r, a, b);
    print("remainder", r);
    fmpz_abs(r, a);
    fmpz_sqrt(r, r);
    print("root", r);
    fmpz_fac_ui(r, bits / 32);
    print("factorial", r);
    fmpz_gcd(r, r, b);
    print("gcd", r);
    fmpz_clear(a);
    fmpz_clear(b);
    fmpz_clear(r);
}

static void polynomials(flint_rand_t state, slong length, mp_bitcnt_t bits) {
    fmpz_poly_t f, g, h;
    fmpz_poly_init(f);
    fmpz_poly_init(g);
    fmpz_poly_init(h);
    fmpz_poly_randtest(f, state, length, bits);
    fmpz_poly_randtest(g, state, length, bits);
    fmpz_poly_mul_KS(h, f, g); /* by Kronecker substitution: one product of large integers */
    fmpz_poly_print(h);
    putchar('\n');
    fmpz_poly_clear(f);
    fmpz_poly_clear(g);
    fmpz_poly_clear(h);
}

/* Prints the square of a product of matrices, one of which is a window of a larger one. */
static void matrices(flint_rand_t state, slong side, mp_bitcnt_t bits) {
    fmpz_mat_t a, b, r, window;
    fmpz_mat_init(a, side, side);
    fmpz_mat_init(b, side + 3, side + 2);
    fmpz_mat_init(r, side, side);
    fmpz_mat_randtest(a, state, bits);
    fmpz_mat_randtest(b, state, bits / 2);
    fmpz_mat_window_init(window, b, 1, 2, side + 1, side + 2);
    fmpz_mat_mul(r, a, window);
    fmpz_mat_mul(r, r, r);
    fmpz_mat_print(r);
    putchar('\n');
    fmpz_mat_window_clear(window);
    fmpz_mat_clear(a);
    fmpz_mat_clear(b);
    fmpz_mat_clear(r);
}

int main(int argc, char **argv) {
    long bits = argc == 2 ? atol(argv[1]) : 0;
    if (bits < 1000)
        return 2;
    flint_rand_t state;
    flint_randinit(state);
    integers(state, (mp_bitcnt_t)bits);
    polynomials(state, bits / 200, 100);
    matrices(state, 12, (mp_bitcnt_t)bits / 500);
    flint_randclear(state);
    flint_cleanup();
    return 0;
}
