/* SPDX-License-Identifier: LGPL-3.0-or-later
 * mpz_mul and its forms with a small factor or with an addition. */
#include "limbs.h"
#include "real.h"
#include "target.h"
#include "ternary.h"

/* |w| = {up, un} * {vp, vn}, with un, vn >= 1; w may be any operand. */
static enum mpgpu_why product(mpz_ptr w, mp_srcptr up, size_t un, mp_srcptr vp, size_t vn,
                              int negative) {
    struct target t;
    if (!target_open(&t, w, up, vp, un + vn))
        return WHY_SIZE;
    enum mpgpu_why why = limbs_mul(t.rp, up, un, vp, vn);
    if (why == WHY_DONE)
        target_keep(&t, un + vn, negative);
    else
        target_drop(&t);
    return why;
}

static enum mpgpu_why product_mpz(mpz_ptr w, mpz_srcptr u, mpz_srcptr v) {
    return product(w, u->_mp_d, mpz_size(u), v->_mp_d, mpz_size(v),
                   (u->_mp_size ^ v->_mp_size) < 0);
}

static inline const _Atomic size_t *threshold_of(mpz_srcptr u, mpz_srcptr v) {
    return u == v ? &session_thresholds.sqr : &session_thresholds.mul;
}

EXPORT void mpz_mul(mpz_ptr w, mpz_srcptr u, mpz_srcptr v) {
    static const struct ternary f = {CALL_ROW(mpz_mul), &real.mpz_mul, product_mpz};
    const _Atomic size_t *threshold = threshold_of(u, v);
    if (ternary_is_small(u, v, threshold))
        real.mpz_mul(w, u, v);
    else
        ternary_large(&f, w, u, v, threshold);
}

LARGE void mul_ui_large(mpz_ptr w, mpz_srcptr u, unsigned long v) {
    struct call call;
    size_t un = mpz_size(u);
    if (!call_begin(&call, CALL_ROW(mpz_mul_ui), un && v, &session_thresholds.mul, un + 1)) {
        real.mpz_mul_ui(w, u, v);
        return;
    }
    mp_limb_t limb = v;
    enum mpgpu_why why = product(w, u->_mp_d, un, &limb, 1, u->_mp_size < 0);
    if (why != WHY_DONE)
        real.mpz_mul_ui(w, u, v);
    call_end(&call, why);
}

EXPORT void mpz_mul_ui(mpz_ptr w, mpz_srcptr u, unsigned long v) {
    if (call_is_small(1, &session_thresholds.mul))
        real.mpz_mul_ui(w, u, v);
    else
        mul_ui_large(w, u, v);
}

LARGE void mul_si_large(mpz_ptr w, mpz_srcptr u, long v) {
    struct call call;
    size_t un = mpz_size(u);
    if (!call_begin(&call, CALL_ROW(mpz_mul_si), un && v, &session_thresholds.mul, un + 1)) {
        real.mpz_mul_si(w, u, v);
        return;
    }
    mp_limb_t limb = v < 0 ? -(mp_limb_t)v : (mp_limb_t)v;
    enum mpgpu_why why = product(w, u->_mp_d, un, &limb, 1, (u->_mp_size < 0) != (v < 0));
    if (why != WHY_DONE)
        real.mpz_mul_si(w, u, v);
    call_end(&call, why);
}

EXPORT void mpz_mul_si(mpz_ptr w, mpz_srcptr u, long v) {
    if (call_is_small(1, &session_thresholds.mul))
        real.mpz_mul_si(w, u, v);
    else
        mul_si_large(w, u, v);
}

/* w += u * v, or w -= u * v: the product on the device, the sum by GMP. */
static enum mpgpu_why accumulate(mpz_ptr w, mpz_srcptr u, mpz_srcptr v, int subtract) {
    mpz_t t;
    mpz_init(t);
    enum mpgpu_why why = product_mpz(t, u, v);
    if (why == WHY_DONE && subtract)
        real.mpz_sub(w, w, t);
    else if (why == WHY_DONE)
        real.mpz_add(w, w, t);
    mpz_clear(t);
    return why;
}

static enum mpgpu_why addmul(mpz_ptr w, mpz_srcptr u, mpz_srcptr v) {
    return accumulate(w, u, v, 0);
}

EXPORT void mpz_addmul(mpz_ptr w, mpz_srcptr u, mpz_srcptr v) {
    static const struct ternary f = {CALL_ROW(mpz_addmul), &real.mpz_addmul, addmul};
    const _Atomic size_t *threshold = threshold_of(u, v);
    if (ternary_is_small(u, v, threshold))
        real.mpz_addmul(w, u, v);
    else
        ternary_large(&f, w, u, v, threshold);
}

static enum mpgpu_why submul(mpz_ptr w, mpz_srcptr u, mpz_srcptr v) {
    return accumulate(w, u, v, 1);
}

EXPORT void mpz_submul(mpz_ptr w, mpz_srcptr u, mpz_srcptr v) {
    static const struct ternary f = {CALL_ROW(mpz_submul), &real.mpz_submul, submul};
    const _Atomic size_t *threshold = threshold_of(u, v);
    if (ternary_is_small(u, v, threshold))
        real.mpz_submul(w, u, v);
    else
        ternary_large(&f, w, u, v, threshold);
}
