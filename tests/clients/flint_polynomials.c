/* SPDX-License-Identifier: LGPL-3.0-or-later
 * flint_polynomials ROUNDS SEED: compares FLINT's products of polynomials, which the library
 * intercepts under preload, with FLINT's products by the definition, which it does not intercept.
 */
#include <flint/flint.h>
#include <flint/fmpz.h>
#include <flint/fmpz_mod_poly.h>
#include <flint/fmpz_poly.h>
#include <flint/nmod_poly.h>
#include <stdio.h>
#include <stdlib.h>

/* How the coefficients of a polynomial look. */
enum kind { RANDOM, ONES, MOST_NEGATIVE, ALTERNATING, SPARSE, SHORT, NEGATIVE_LEADING, KINDS };

static flint_rand_t state;

static slong below(slong n) {
    return (slong)n_randint(state, (ulong)n);
}

/* Sets c to a coefficient of at most `bits` bits. */
static void set_coefficient(fmpz_t c, enum kind kind, slong i, slong length, mp_bitcnt_t bits) {
    fmpz_one(c);
    fmpz_mul_2exp(c, c, bits);
    fmpz_sub_ui(c, c, 1);
    if (kind == MOST_NEGATIVE || (kind == ALTERNATING && i % 2))
        fmpz_neg(c, c);
    else if (kind == RANDOM)
        fmpz_randtest(c, state, bits);
    else if (kind == SHORT)
        fmpz_set_si(c, below(3) - 1);
    else if (kind == SPARSE)
        fmpz_mul_si(c, c, below(40) == 0 ? below(2) * 2 - 1 : 0);
    else if (kind == NEGATIVE_LEADING)
        fmpz_mul_si(c, c, i == length - 1 ? -1 : below(2));
    if (i == length - 1 && fmpz_is_zero(c))
        fmpz_set_si(c, -1);
}

static void make(fmpz_poly_t f, slong length, mp_bitcnt_t bits) {
    const enum kind kind = (enum kind)below(KINDS);
    fmpz_t c;
    fmpz_init(c);
    fmpz_poly_zero(f);
    for (slong i = 0; i < length; i++) {
        set_coefficient(c, kind, i, length, bits);
        fmpz_poly_set_coeff_fmpz(f, i, c);
    }
    fmpz_clear(c);
}

static int expect(int is_right, const char *what, slong un, slong vn, mp_bitcnt_t bits) {
    if (!is_right)
        fprintf(stderr, "%s of %ld and %ld coefficients of %lu bits: wrong\n", what, (long)un,
                (long)vn, (unsigned long)bits);
    return !is_right;
}

static int integers(slong un, slong vn, mp_bitcnt_t ubits, mp_bitcnt_t vbits) {
    fmpz_poly_t u, v, r, right;
    int wrong = 0;
    fmpz_poly_init(u);
    fmpz_poly_init(v);
    fmpz_poly_init(r);
    fmpz_poly_init(right);
    make(u, un, ubits);
    make(v, vn, vbits);
    make(r, below(2) * un, vbits); /* old coefficients, which the product must overwrite */
    fmpz_poly_mul_classical(right, u, v);
    fmpz_poly_mul(r, u, v);
    wrong |= expect(fmpz_poly_equal(r, right), "product", un, vn, ubits);
    fmpz_poly_mul(v, u, v);
    wrong |= expect(fmpz_poly_equal(v, right), "product in place", un, vn, ubits);
    fmpz_poly_mul_classical(right, u, u);
    fmpz_poly_mul(r, u, u);
    wrong |= expect(fmpz_poly_equal(r, right), "product with itself", un, un, ubits);
    fmpz_poly_sqr(r, u);
    wrong |= expect(fmpz_poly_equal(r, right), "square", un, un, ubits);
    fmpz_poly_clear(u);
    fmpz_poly_clear(v);
    fmpz_poly_clear(r);
    fmpz_poly_clear(right);
    return wrong;
}

static int limbs(slong un, slong vn, mp_limb_t m) {
    nmod_poly_t u, v, r, right;
    int wrong = 0;
    nmod_poly_init(u, m);
    nmod_poly_init(v, m);
    nmod_poly_init(r, m);
    nmod_poly_init(right, m);
    for (slong i = 0; i < un; i++)
        nmod_poly_set_coeff_ui(u, i, below(3) ? n_randlimb(state) % m : m - 1);
    for (slong i = 0; i < vn; i++)
        nmod_poly_set_coeff_ui(v, i, below(3) ? m - 1 : n_randlimb(state) % m);
    nmod_poly_mul_classical(right, u, v);
    nmod_poly_mul(r, u, v);
    wrong |= expect(nmod_poly_equal(r, right), "product modulo a limb", un, vn, FLINT_BIT_COUNT(m));
    nmod_poly_mul_classical(right, u, u);
    nmod_poly_mul(u, u, u);
    wrong |= expect(nmod_poly_equal(u, right), "square modulo a limb", un, un, FLINT_BIT_COUNT(m));
    nmod_poly_clear(u);
    nmod_poly_clear(v);
    nmod_poly_clear(r);
    nmod_poly_clear(right);
    return wrong;
}

static void make_residues(fmpz_mod_poly_t u, slong length, const fmpz_mod_ctx_t ctx) {
    fmpz_t c;
    fmpz_init(c);
    for (slong i = 0; i < length; i++) {
        fmpz_set_si(c, -1);
        if (below(3))
            fmpz_randtest(c, state, 1000);
        fmpz_mod_set_fmpz(c, c, ctx);
        fmpz_mod_poly_set_coeff_fmpz(u, i, c, ctx);
    }
    fmpz_clear(c);
}

/* Adds multiples of n to the coefficients, as FLINT's Hensel lifting does. The coefficients then
 * are negative, or positive and longer than n. */
static void unreduce(fmpz_mod_poly_t u, const fmpz_t n) {
    for (slong i = 0; i < u->length; i++)
        if (i % 2)
            fmpz_addmul(u->coeffs + i, n, n);
        else
            fmpz_sub(u->coeffs + i, u->coeffs + i, n);
}

/* Compares products modulo n with products over Z, reduced modulo n. */
static int residues(slong un, slong vn, const fmpz_t n) {
    fmpz_mod_ctx_t ctx;
    fmpz_mod_poly_t u, v, r, right;
    fmpz_poly_t x, y;
    int wrong = 0;
    fmpz_mod_ctx_init(ctx, n);
    fmpz_mod_poly_init(u, ctx);
    fmpz_mod_poly_init(v, ctx);
    fmpz_mod_poly_init(r, ctx);
    fmpz_mod_poly_init(right, ctx);
    fmpz_poly_init(x);
    fmpz_poly_init(y);
    make_residues(u, un, ctx);
    make_residues(v, vn, ctx);
    for (int way = 0; way < 3; way++) {
        const int is_square = way == 1;
        fmpz_mod_poly_get_fmpz_poly(x, u, ctx);
        fmpz_mod_poly_get_fmpz_poly(y, is_square ? u : v, ctx);
        fmpz_poly_mul_classical(x, x, y);
        fmpz_mod_poly_set_fmpz_poly(right, x, ctx);
        if (way == 2)
            unreduce(v, n);
        fmpz_mod_poly_mul(r, u, is_square ? u : v, ctx);
        wrong |=
            expect(fmpz_mod_poly_equal(r, right, ctx), "product modulo n", un, vn, fmpz_bits(n));
    }
    fmpz_poly_clear(x);
    fmpz_poly_clear(y);
    fmpz_mod_poly_clear(u, ctx);
    fmpz_mod_poly_clear(v, ctx);
    fmpz_mod_poly_clear(r, ctx);
    fmpz_mod_poly_clear(right, ctx);
    fmpz_mod_ctx_clear(ctx);
    return wrong;
}

int main(int argc, char **argv) {
    const int rounds = argc > 1 ? atoi(argv[1]) : 10;
    int wrong = 0;
    fmpz_t n, k;
    fmpz_init(n);
    fmpz_init(k);
    flint_randinit(state);
    for (int i = argc > 2 ? atoi(argv[2]) % 10007 : 0; i > 0; i--)
        n_randlimb(state);
    for (int i = 0; i < rounds && !wrong; i++) {
        const slong un = 33 + below(300), vn = below(3) ? 33 + below(300) : 1 + below(40);
        const mp_bitcnt_t bits = 1 + (mp_bitcnt_t)below(i % 2 ? 200 : 900);
        wrong |= integers(un, vn, bits, below(2) ? bits : 1 + (mp_bitcnt_t)below(2000));
        const mp_limb_t m = i % 4 == 0   ? ((mp_limb_t)1 << 61) - 1
                            : i % 4 == 1 ? ~(mp_limb_t)0
                            : i % 4 == 2 ? (mp_limb_t)1 << 63
                                         : 1 + n_randlimb(state) / ((mp_limb_t)1 << below(64));
        wrong |= limbs(un + 400, vn + 200, m);
        fmpz_set_ui(n, m);
        fmpz_randtest_unsigned(k, state, i % 3 ? (mp_bitcnt_t)(1 + below(600)) : 1);
        fmpz_mul(n, n, k);
        fmpz_add_ui(n, n, (ulong)fmpz_is_zero(n));
        wrong |= residues(un, vn, n);
    }
    wrong |= limbs(1500, 40, 1); /* modulus 1 */
    fmpz_clear(n);
    fmpz_clear(k);
    flint_randclear(state);
    puts(wrong ? "wrong" : "all products are right");
    return wrong;
}
