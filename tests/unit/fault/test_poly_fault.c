/* SPDX-License-Identifier: LGPL-3.0-or-later
 * Tests polynomials (include/mpgpu.h) on a device that fails: their coefficients are in host
 * memory, so every call must return 0 and GMP's result. A session opens a device, computes with
 * polynomials and closes it. In each session one backend call fails, several fail, one never
 * returns, or one launch leaves a wrong word. */
#include "tests/unit/fault/fault_sweep.h"

enum { LENGTH = 2, BITS = 90, MODULI = 2 };

static mpz_t moduli[MODULI], c[LENGTH], points[LENGTH];

static void prepare(void) {
    static const unsigned long bits[] = {0, 127}; /* 0: over Z; 127: modulo 2^127 - 1 */
    for (int i = 0; i < MODULI; i++) {
        mpz_init_set_ui(moduli[i], bits[i] > 0);
        mpz_mul_2exp(moduli[i], moduli[i], bits[i]);
        if (bits[i])
            real.mpz_sub_ui(moduli[i], moduli[i], 1);
    }
    for (int i = 0; i < LENGTH; i++) {
        pattern(c[i], 3 + 2 * (unsigned long)i, BITS);
        mpz_init_set_ui(points[i], 10 + (unsigned long)i);
    }
    mpz_set_ui(c[LENGTH - 1], 1);
}

static mpgpu_poly *poly(mpz_srcptr m) {
    mpgpu_poly *u = mpgpu_poly_create(mpz_sgn(m) ? m : NULL);
    ck_assert_ptr_nonnull(u);
    return u;
}

/* Compares u with the polynomial of the coefficients `right`, reduced modulo m unless m is 0. */
static void expect(const mpgpu_poly *u, const mpz_t *right, size_t length, mpz_srcptr m,
                   const char *what) {
    mpz_t got[2 * LENGTH], rest;
    mpz_init(rest);
    for (size_t i = 0; i < length; i++)
        mpz_init(got[i]);
    must(mpgpu_poly_get_mpz(got, length, u));
    for (size_t i = 0; i < length; i++) {
        mpz_set(rest, right[i]);
        if (mpz_sgn(m))
            real.mpz_mod(rest, rest, m);
        ck_assert_msg(mpz_cmp(got[i], rest) == 0, "%s, coefficient %zu: wrong: %s", what, i,
                      plan_text());
        mpz_clear(got[i]);
    }
    mpz_clear(rest);
}

/* Computes a square. Modulo a number, also divides it by its root, and interpolates the values of
 * the polynomial c, which uses the functions that compute values. */
static void compute_modulo(mpz_srcptr m) {
    _Static_assert(LENGTH == 2, "values are of c[0] + c[1] x");
    mpz_t y[LENGTH], square[2 * LENGTH - 1];
    mpgpu_poly *u = poly(m), *v = poly(m), *w = poly(m);
    for (int i = 0; i < 2 * LENGTH - 1; i++)
        mpz_init(square[i]);
    for (int i = 0; i < LENGTH; i++)
        for (int j = 0; j < LENGTH; j++)
            real.mpz_addmul(square[i + j], c[i], c[j]);
    must(mpgpu_poly_set_mpz(u, (const mpz_t *)c, LENGTH));
    must(mpgpu_poly_sqr(v, u));
    expect(v, (const mpz_t *)square, 2 * LENGTH - 1, m, "square");
    for (int i = 0; i < LENGTH; i++)
        mpz_init(y[i]);
    if (mpz_sgn(m)) {
        must(mpgpu_poly_divrem(w, v, v, u));
        expect(w, (const mpz_t *)c, LENGTH, m, "quotient");
        ck_assert_uint_eq(mpgpu_poly_length(v), 0);
        for (int i = 0; i < LENGTH; i++) {
            real.mpz_mul(y[i], c[1], points[i]);
            real.mpz_add(y[i], y[i], c[0]);
        }
        must(mpgpu_poly_interpolate(v, (const mpz_t *)points, (const mpz_t *)y, LENGTH));
        expect(v, (const mpz_t *)c, LENGTH, m, "interpolation");
    }
    for (int i = 0; i < LENGTH; i++)
        mpz_clear(y[i]);
    for (int i = 0; i < 2 * LENGTH - 1; i++)
        mpz_clear(square[i]);
    mpgpu_poly_destroy(u);
    mpgpu_poly_destroy(v);
    mpgpu_poly_destroy(w);
}

static void compute(void) {
    for (int i = 0; i < MODULI; i++)
        compute_modulo(moduli[i]);
}

static const struct sweep sweep = {.name = "poly_fault",
                                   .options = "open:wait,batch:1,mul:never,sqr:never,add:never",
                                   .prepare = prepare,
                                   .compute = compute,
                                   .sent = 31};

int main(void) {
    return run_sweep();
}
