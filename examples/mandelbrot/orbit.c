/* SPDX-License-Identifier: LGPL-3.0-or-later
 * Iterates z -> z^2 + c with GMP's integers, which are fixed-point numbers of any length. */
#include "config.h"

#include "examples/mandelbrot/orbit.h"

#include <math.h>
#include <mpgpu.h>

enum { GUARD_BITS = 64 };

unsigned long orbit_bits(const struct view *view) {
    long log2 = view_step_log2(view),
         samples = view->width > view->height ? view->width : view->height;
    while (samples >>= 1)
        log2--;
    return GUARD_BITS + 32 + (log2 < 0 ? (unsigned long)-log2 : 0);
}

void orbit_init(struct orbit *o, unsigned long bits) {
    o->bits = bits;
    mpz_inits(o->cx, o->cy, o->x, o->y, o->xx, o->yy, o->norm, o->sum, NULL);
}

void orbit_clear(struct orbit *o) {
    mpz_clears(o->cx, o->cy, o->x, o->y, o->xx, o->yy, o->norm, o->sum, NULL);
}

/* Computes the squares of the real and imaginary part of z, and the sum of both squares. */
static void square(struct orbit *o) {
    mpz_mul(o->xx, o->x, o->x);
    mpz_mul(o->yy, o->y, o->y);
    mpz_fdiv_q_2exp(o->xx, o->xx, o->bits);
    mpz_fdiv_q_2exp(o->yy, o->yy, o->bits);
    mpz_add(o->norm, o->xx, o->yy);
}

void orbit_restart(struct orbit *o) {
    mpz_set_ui(o->x, 0);
    mpz_set_ui(o->y, 0);
    square(o);
}

bool orbit_has_escaped(const struct orbit *o) {
    return mpz_sizeinbase(o->norm, 2) > o->bits + 12;
}

_Static_assert(MPGPU_MANDELBROT_ESCAPE == 1 << 12, "as many bits");

void orbit_step(struct orbit *o) {
    /* The imaginary part of z^2 is 2xy = (x + y)^2 - x^2 - y^2: a square costs less than a
     * product. */
    mpz_add(o->sum, o->x, o->y);
    mpz_mul(o->sum, o->sum, o->sum);
    mpz_fdiv_q_2exp(o->sum, o->sum, o->bits);
    mpz_sub(o->y, o->sum, o->norm);
    mpz_add(o->y, o->y, o->cy);
    mpz_sub(o->x, o->xx, o->yy);
    mpz_add(o->x, o->x, o->cx);
    square(o);
}

static double to_double(const mpz_t x, unsigned long bits) {
    long exponent;
    double mantissa = mpz_get_d_2exp(&exponent, x);
    return ldexp(mantissa, (int)(exponent - (long)bits));
}

/* Converts x to long double with its 64 highest bits. */
static long double to_long_double(const mpz_t x, unsigned long bits) {
    long shift = (long)mpz_sizeinbase(x, 2) - 64;
    mpz_t head;
    mpz_init(head);
    mpz_tdiv_q_2exp(head, x, shift > 0 ? (unsigned long)shift : 0);
    long double mantissa = (long double)mpz_get_ui(head) * mpz_sgn(x);
    mpz_clear(head);
    return ldexpl(mantissa, (int)((shift > 0 ? shift : 0) - (long)bits));
}

void orbit_get(const struct orbit *o, double *x, double *y) {
    *x = to_double(o->x, o->bits);
    *y = to_double(o->y, o->bits);
}

void orbit_get_long(const struct orbit *o, long double *x, long double *y) {
    *x = to_long_double(o->x, o->bits);
    *y = to_long_double(o->y, o->bits);
}

struct escape orbit_run(struct orbit *o, uint32_t most) {
    orbit_restart(o);
    for (uint32_t i = 0; i < most; i++) {
        if (orbit_has_escaped(o))
            return escape_at(i, to_double(o->norm, o->bits));
        orbit_step(o);
    }
    return (struct escape){most, 0};
}
