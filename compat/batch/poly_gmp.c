/* SPDX-License-Identifier: LGPL-3.0-or-later
 * Computes products of polynomials on the host, by Kronecker's substitution and a product of GMP:
 * each coefficient has a slot of some limbs in a long number. */
#include <string.h>

#include "compat/batch/batch_gmp.h"
#include "lib/gmp/real.h"

/* A polynomial of `length` coefficients of n limbs each. In the long number, coefficient i occupies
 * the `slot` limbs from limb i * slot. */
struct layout {
    size_t length, n, slot;
    bool is_signed;
};

static mp_limb_t sign_of(const mp_limb_t *xp, size_t n) {
    return xp[n - 1] >> 63;
}

/* Copies {xp, n} to {to, size}: extended by its sign or by zeros, or truncated. */
static void extend(mp_limb_t *to, size_t size, const mp_limb_t *xp, size_t n, bool is_signed) {
    const size_t both = n < size ? n : size;
    const int fill = is_signed && sign_of(xp, n) ? -1 : 0;
    memcpy(to, xp, both * sizeof *to);
    memset(to + both, fill, (size - both) * sizeof *to);
}

/* Packs the polynomial at xp into one number, with a slot of limbs for each coefficient. Stores the
 * absolute value at `to`. Returns true if the number is negative. */
static bool pack(mp_limb_t *to, const mp_limb_t *xp, const struct layout *l) {
    mp_limb_t borrow = 0;
    for (size_t i = 0; i < l->length; i++) {
        mp_limb_t *slot = to + i * l->slot;
        extend(slot, l->slot, xp + i * l->n, l->n, l->is_signed);
        mpn_sub_1(slot, slot, (mp_size_t)l->slot, borrow);
        borrow = l->is_signed && sign_of(slot, l->slot);
    }
    if (borrow)
        mpn_neg(to, to, (mp_size_t)(l->length * l->slot));
    return borrow;
}

static mp_limb_t remainder_of(const mp_limb_t *xp, size_t n, mp_limb_t m) {
    mp_limb_t rest = 0;
    while (n-- > 0)
        rest = (mp_limb_t)(((unsigned __int128)rest << 64 | xp[n]) % m);
    return rest;
}

/* Copies l->length coefficients of a product, from coefficient `low` on, from slots at `from` to
 * rp. Reduces each modulo `limb` unless `limb` is 0, and negates each if is_negative. Overwrites
 * the slots. */
static void unpack(mp_limb_t *rp, mp_limb_t *from, const struct layout *l, size_t low,
                   mp_limb_t limb, bool is_negative) {
    mp_limb_t carry = 0;
    for (size_t i = 0; i < l->length; i++) {
        mp_limb_t *slot = from + (low + i) * l->slot, *r = rp + i * l->n;
        const mp_limb_t next = l->is_signed && sign_of(slot, l->slot);
        mpn_add_1(slot, slot, (mp_size_t)l->slot, carry);
        carry = next;
        if (limb)
            *r = remainder_of(slot, l->slot, limb);
        else
            extend(r, l->n, slot, l->slot, l->is_signed);
        if (is_negative)
            mpn_neg(r, r, (mp_size_t)l->n);
    }
}

static void multiply(mp_limb_t *wp, const mp_limb_t *up, size_t un, const mp_limb_t *vp,
                     size_t vn) {
    if (up == vp && un == vn)
        mpn_sqr(wp, up, (mp_size_t)un);
    else if (un >= vn)
        mpn_mul(wp, up, (mp_size_t)un, vp, (mp_size_t)vn);
    else
        mpn_mul(wp, vp, (mp_size_t)vn, up, (mp_size_t)un);
}

void gmp_poly_mul(const struct job *j, mp_limb_t *const *rp, const mp_limb_t *const *up) {
    const size_t polys = j->parameter[JOB_POLYS], slot = (j->parameter[JOB_SLOT] + 1) / 2;
    const bool is_signed = j->parameter[JOB_IS_SIGNED], is_square = up[0] == up[1];
    const struct layout u = {j->u[0].count / polys, j->u[0].n, slot, is_signed},
                        v = {j->u[1].count / polys, j->u[1].n, slot, is_signed},
                        r = {j->r[0].count / polys, j->r[0].n, slot, is_signed};
    const size_t un = u.length * slot, vn = v.length * slot;
    mpz_t x, y, z;
    mpz_init(x);
    mpz_init(y);
    mpz_init(z);
    mp_limb_t *const xp = mpz_limbs_write(x, (mp_size_t)un),
                     *const yp = is_square ? xp : mpz_limbs_write(y, (mp_size_t)vn),
                     *const zp = mpz_limbs_write(z, (mp_size_t)(un + vn));
    for (size_t k = 0; k < polys; k++) {
        bool is_negative = pack(xp, up[0] + k * u.length * u.n, &u);
        is_negative ^= is_square ? is_negative : pack(yp, up[1] + k * v.length * v.n, &v);
        multiply(zp, xp, un, yp, vn);
        unpack(rp[0] + k * r.length * r.n, zp, &r, j->parameter[JOB_LOW],
               j->parameter[JOB_POLY_LIMB], is_negative);
    }
    mpz_clear(x);
    mpz_clear(y);
    mpz_clear(z);
}
