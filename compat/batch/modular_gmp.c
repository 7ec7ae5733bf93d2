/* SPDX-License-Identifier: LGPL-3.0-or-later
 * Batches modulo numbers by GMP's functions, on the host. */
#include <string.h>

#include "compat/batch/modulus.h"

/* A view of {xp, n} as a number, which nothing changes. */
static void view(mpz_ptr x, const mp_limb_t *xp, size_t n) {
    while (n > 0 && xp[n - 1] == 0)
        n--;
    *x = (__mpz_struct){._mp_alloc = 0, ._mp_size = (int)n, ._mp_d = (mp_limb_t *)xp};
}

/* {rp, n} = x, which has no more limbs. */
static void put(mp_limb_t *rp, mpz_srcptr x, size_t n) {
    size_t size = mpz_size(x);
    memcpy(rp, mpz_limbs_read(x), size * sizeof *rp);
    memset(rp + size, 0, (n - size) * sizeof *rp);
}

static void power(mpz_ptr r, mpz_srcptr u, mpz_srcptr e, mpz_srcptr m, bool is_secret) {
    if (is_secret && mpz_sgn(e) > 0)
        mpz_powm_sec(r, u, e, m);
    else
        mpz_powm(r, u, e, m);
}

static void compute(enum modular_kind kind, mpz_ptr r, mpz_srcptr u, mpz_srcptr v, mpz_srcptr m) {
    switch (kind) {
    case MODULAR_KIND_REDUCE:
        mpz_mod(r, u, m);
        break;
    case MODULAR_KIND_ADD:
        mpz_add(r, u, v);
        mpz_mod(r, r, m);
        break;
    case MODULAR_KIND_SUB:
        mpz_sub(r, u, v);
        mpz_mod(r, r, m);
        break;
    case MODULAR_KIND_MUL:
        mpz_mul(r, u, v);
        mpz_mod(r, r, m);
        break;
    default:
        power(r, u, v, m, kind == MODULAR_KIND_POW_SECURE);
        break;
    }
}

int modular_by_gmp(const struct modular_step *step, mp_limb_t *rp, const mp_limb_t *up,
                   const mp_limb_t *vp, const mp_limb_t *mp) {
    mpz_t r, u, v, m;
    mpz_init(r);
    view(v, vp, 0);
    for (size_t i = 0; i < step->count; i++) {
        view(u, up + i * step->u_limbs, step->u_limbs);
        if (vp)
            view(v, vp + (step->e_count == 1 ? 0 : i * step->e_limbs), step->e_limbs);
        view(m, mp + (step->m_count == 1 ? 0 : i * step->n), step->n);
        compute(step->kind, r, u, v, m);
        put(rp + i * step->n, r, step->n);
    }
    mpz_clear(r);
    return 0;
}

/* 2^(32 rows) and its square modulo m, and -1/m modulo 2^32. */
static void know(mp_limb_t *known, mpz_srcptr m, size_t n, uint32_t rows) {
    mpz_t x;
    uint32_t inverse = 1, low = (uint32_t)*mpz_limbs_read(m);
    mpz_init(x);
    for (int square = 1; square >= 0; square--) {
        mpz_set_ui(x, 1);
        mpz_mul_2exp(x, x, (mp_bitcnt_t)32 * rows << square);
        mpz_mod(x, x, m);
        put(known + (square ? 0 : n), x, n);
    }
    mpz_clear(x);
    for (int k = 0; k < 5; k++)
        inverse *= 2 - low * inverse;
    known[2 * n] = (uint32_t)-inverse;
}

static mp_limb_t kind_of(mpz_srcptr m) {
    return mpz_odd_p(m) ? MODULAR_IS_ODD : mpz_sgn(m) == 0 ? MODULAR_IS_ZERO : MODULAR_IS_EVEN;
}

int modular_known_by_gmp(mp_limb_t *known, mp_limb_t *kinds, const mp_limb_t *mp, size_t count,
                         size_t n) {
    size_t each = 2 * n + 1;
    memset(known, 0, count * each * sizeof *known);
    for (size_t i = 0; i < count; i++) {
        mpz_t m;
        view(m, mp + i * n, n);
        kinds[i] = kind_of(m);
        if (kinds[i] == MODULAR_IS_ODD)
            know(known + i * each, m, n, modular_rows(2 * (uint32_t)n));
    }
    return 0;
}

/* The highest word of x, which has at most n limbs. */
static uint64_t top_word(mpz_srcptr x, size_t n) {
    return mpz_getlimbn(x, (mp_size_t)n - 1) >> 32;
}

/* The reciprocal of m, not 0, times 2^shift, and how much that is too small. */
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
    put(known, dividend, n);
    known[n] = ((top_word(rest, n) << 32) / (top_word(high, n) + 1)) << 32 | shift;
    mpz_clear(high);
    mpz_clear(dividend);
    mpz_clear(rest);
}

/* Zeros above the highest bit of m, as of 1 where it is 0. */
static unsigned shift_of(mpz_srcptr m, size_t n) {
    size_t size = mpz_size(m);
    return size == 0 ? (unsigned)(64 * n - 1)
                     : (unsigned)(64 * (n - size)) +
                           (unsigned)__builtin_clzl(mpz_getlimbn(m, (mp_size_t)size - 1));
}

int modular_reciprocals_by_gmp(mp_limb_t *known, mp_limb_t *kinds, const mp_limb_t *mp,
                               size_t count, size_t n) {
    size_t each = BARRETT_KNOWN_WORDS(2 * n) / 2;
    memset(known, 0, count * each * sizeof *known);
    for (size_t i = 0; i < count; i++) {
        mpz_t m;
        view(m, mp + i * n, n);
        unsigned shift = shift_of(m, n);
        kinds[i] = (mp_limb_t)shift << 32 | kind_of(m);
        if (mpz_sgn(m))
            invert(known + i * each, m, n, shift);
    }
    return 0;
}
