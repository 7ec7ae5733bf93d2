/* SPDX-License-Identifier: LGPL-3.0-or-later
 * Computes operations modulo numbers, and the constants of moduli, for batches: on the host, with
 * GMP's functions. */
#include <string.h>

#include "compat/batch/batch_gmp.h"
#include "lib/gmp/normalize.h"
#include "lib/gmp/real.h"
#include "lib/modular/barrett.h"

/* Computes r = u op v modulo m, for one operation op. */
typedef void step(mpz_ptr r, mpz_srcptr u, mpz_srcptr v, mpz_srcptr m);

static void reduce(mpz_ptr r, mpz_srcptr u, mpz_srcptr v, mpz_srcptr m) {
    (void)v;
    mpz_mod(r, u, m);
}

static void add(mpz_ptr r, mpz_srcptr u, mpz_srcptr v, mpz_srcptr m) {
    mpz_add(r, u, v);
    mpz_mod(r, r, m);
}

static void subtract(mpz_ptr r, mpz_srcptr u, mpz_srcptr v, mpz_srcptr m) {
    mpz_sub(r, u, v);
    mpz_mod(r, r, m);
}

static void multiply(mpz_ptr r, mpz_srcptr u, mpz_srcptr v, mpz_srcptr m) {
    mpz_mul(r, u, v);
    mpz_mod(r, r, m);
}

static void power(mpz_ptr r, mpz_srcptr u, mpz_srcptr e, mpz_srcptr m) {
    mpz_powm(r, u, e, m);
}

static void secret_power(mpz_ptr r, mpz_srcptr u, mpz_srcptr e, mpz_srcptr m) {
    if (mpz_sgn(e) > 0)
        mpz_powm_sec(r, u, e, m);
    else
        mpz_powm(r, u, e, m);
}

static void compute(const struct job *j, mp_limb_t *rp, const mp_limb_t *const *up, step *step) {
    const struct job_ref *m = &j->u[JOB_MODULUS];
    mpz_t r, x[JOB_MODULUS + 1];
    mpz_init(r);
    for (size_t i = 0; i < j->u[0].count; i++) {
        for (unsigned k = 0; k <= JOB_MODULUS; k++)
            gmp_view_number(x[k], j, up, k, i);
        step(r, x[0], x[1], x[JOB_MODULUS]);
        normalize_pad(rp + i * m->n, m->n, r);
    }
    mpz_clear(r);
}

#define MODULAR(name, step)                                                                        \
    void gmp_##name(const struct job *j, mp_limb_t *const *rp, const mp_limb_t *const *up) {       \
        compute(j, rp[0], up, step);                                                               \
    }
MODULAR(batch_mod, reduce)
MODULAR(batch_mod_add, add)
MODULAR(batch_mod_sub, subtract)
MODULAR(batch_mod_mul, multiply)
MODULAR(batch_mod_pow, power)
MODULAR(batch_mod_pow_sec, secret_power)

/* ---- constants of moduli, as in kernels/modular/modular.h and barrett.h */

/* Computes three constants of an odd modulus m for Montgomery products of `rows` 32-bit words:
 * 2^(32 rows) and its square, both modulo m, and -1/m modulo 2^32. */
static void know(mp_limb_t *known, mpz_srcptr m, size_t n, uint32_t rows) {
    mpz_t x;
    uint32_t inverse = 1, low = (uint32_t)*mpz_limbs_read(m);
    mpz_init(x);
    for (int square = 1; square >= 0; square--) {
        mpz_set_ui(x, 1);
        mpz_mul_2exp(x, x, (mp_bitcnt_t)32 * rows << square);
        mpz_mod(x, x, m);
        normalize_pad(known + (square ? 0 : n), n, x);
    }
    mpz_clear(x);
    for (int k = 0; k < 5; k++)
        inverse *= 2 - low * inverse;
    known[2 * n] = (uint32_t)-inverse;
}

static mp_limb_t kind_of(mpz_srcptr m) {
    return mpz_odd_p(m) ? MODULAR_IS_ODD : mpz_sgn(m) == 0 ? MODULAR_IS_ZERO : MODULAR_IS_EVEN;
}

static void know_all(mp_limb_t *known, mp_limb_t *kinds, const mp_limb_t *mp, size_t count,
                     size_t n) {
    size_t each = 2 * n + 1;
    memset(known, 0, count * each * sizeof *known);
    for (size_t i = 0; i < count; i++) {
        mpz_t m;
        gmp_view(m, mp + i * n, n);
        kinds[i] = kind_of(m);
        if (kinds[i] == MODULAR_IS_ODD)
            know(known + i * each, m, n, modular_rows(2 * (uint32_t)n));
    }
}

/* Returns the highest 32-bit word of x, extended to n limbs. */
static uint64_t top_word(mpz_srcptr x, size_t n) {
    return mpz_getlimbn(x, (mp_size_t)n - 1) >> 32;
}

/* Computes the constants for Barrett's method: the reciprocal of m 2^shift, and an estimate of the
 * reciprocal's error. m is not 0. */
static void invert(mp_limb_t *known, mpz_srcptr m, size_t n, unsigned shift) {
    mpz_t high, dividend, rest;
    mpz_init(high);
    mpz_init(dividend);
    mpz_init(rest);
    mpz_mul_2exp(high, m, shift);
    mpz_set_ui(dividend, 1);
    mpz_mul_2exp(dividend, dividend, 128 * (mp_bitcnt_t)n - 1);
    mpz_sub_ui(dividend, dividend, 1);
    mpz_fdiv_qr(dividend, rest, dividend, high);
    normalize_pad(known, n, dividend);
    known[n] = ((top_word(rest, n) << 32) / (top_word(high, n) + 1)) << 32 | shift;
    mpz_clear(high);
    mpz_clear(dividend);
    mpz_clear(rest);
}

/* Returns the number of zero bits above the highest 1 of m in n limbs. Treats m = 0 as 1. */
static unsigned shift_of(mpz_srcptr m, size_t n) {
    size_t size = mpz_size(m);
    return size == 0 ? (unsigned)(64 * n - 1)
                     : (unsigned)(64 * (n - size)) +
                           (unsigned)__builtin_clzl(mpz_getlimbn(m, (mp_size_t)size - 1));
}

static void invert_all(mp_limb_t *known, mp_limb_t *kinds, const mp_limb_t *mp, size_t count,
                       size_t n) {
    size_t each = BARRETT_KNOWN_WORDS(2 * n) / 2;
    memset(known, 0, count * each * sizeof *known);
    for (size_t i = 0; i < count; i++) {
        mpz_t m;
        gmp_view(m, mp + i * n, n);
        unsigned shift = shift_of(m, n);
        kinds[i] = (mp_limb_t)shift << 32 | kind_of(m);
        if (mpz_sgn(m))
            invert(known + i * each, m, n, shift);
    }
}

void gmp_batch_mod_known(const struct job *j, mp_limb_t *const *rp, const mp_limb_t *const *up) {
    (job_is_by_barrett(j) ? invert_all : know_all)(rp[0], rp[JOB_KINDS], up[0], j->u[0].count,
                                                   j->u[0].n);
}
