/* SPDX-License-Identifier: LGPL-3.0-or-later
 * Computes large calls of functions with three mpz, such as mpz_mul, or with two mpz and a word,
 * such as mpz_mul_ui. */
#include "compat/intercept/ternary.h"

static void call_real(const struct ternary *f, mpz_ptr w, mpz_srcptr u, mpz_srcptr v) {
    if (f->real)
        (*f->real)(w, u, v);
    else if (f->real_ui)
        (*f->real_ui)(w, u, mpz_get_ui(v));
    else if (f->real_si)
        (*f->real_si)(w, u, mpz_get_si(v));
    else
        (*f->real_ui_first)(w, mpz_get_ui(u), v);
}

void ternary_large(const struct ternary *f, mpz_ptr w, mpz_srcptr u, mpz_srcptr v,
                   const _Atomic size_t *threshold) {
    size_t un = mpz_size(u), vn = mpz_size(v);
    size_t size = f->by_limb && vn > 0 ? un : min_u64(un, vn);
    CALL_DEVICE(f->row, size, threshold, u == v ? un : un + vn, f->work(w, u, v),
                call_real(f, w, u, v));
}

/* Makes an mpz of the word v by MPZ_ROINIT_N: possibly GMP's mpz_roinit_n is not resolved yet. */
void ternary_large_ui(const struct ternary *f, mpz_ptr w, mpz_srcptr u, unsigned long v,
                      const _Atomic size_t *threshold) {
    mp_limb_t limb = v;
    const mpz_t number = MPZ_ROINIT_N(&limb, v != 0);
    ternary_large(f, w, u, number, threshold);
}

void ternary_large_si(const struct ternary *f, mpz_ptr w, mpz_srcptr u, long v,
                      const _Atomic size_t *threshold) {
    mp_limb_t limb = v < 0 ? -(mp_limb_t)v : (mp_limb_t)v;
    const mpz_t number = MPZ_ROINIT_N(&limb, (v > 0) - (v < 0));
    ternary_large(f, w, u, number, threshold);
}

void ternary_large_ui_first(const struct ternary *f, mpz_ptr w, unsigned long u, mpz_srcptr v,
                            const _Atomic size_t *threshold) {
    mp_limb_t limb = u;
    const mpz_t number = MPZ_ROINIT_N(&limb, u != 0);
    ternary_large(f, w, number, v, threshold);
}
