/* SPDX-License-Identifier: LGPL-3.0-or-later
 * mpz_sqrt, mpz_sqrtrem and mpn_sqrtrem.
 *
 * (mpz_perfect_square_p stays GMP's: it decides most numbers by small residues.) */
#include "lib/gmp/real.h"
#include "lib/algorithms/root.h"

static void set(mpz_ptr x, mp_srcptr p, size_t n) {
    if (n > 0)
        mpn_copyi(mpz_limbs_write(x, (mp_size_t)n), p, (mp_size_t)n);
    mpz_limbs_finish(x, (mp_size_t)n);
}

/* r may be NULL; 1 if it has been done. */
static int sqrt_large(enum call_row row, mpz_ptr s, mpz_ptr r, mpz_srcptr n, size_t size) {
    struct composite w;
    struct root root;
    if (!composite_begin(&w, row, size, &thresholds.sqrt, mpz_size(n)))
        return 0;
    int done = root_init(&w, &root, n->_mp_d, mpz_size(n));
    if (done) {
        set(s, root.sp, root.sn);
        if (r)
            set(r, root.rp, root.rn);
        root_clear(&root);
    }
    composite_end(&w);
    return done;
}

/* Roots of negative numbers are GMP's errors. */
static inline size_t sqrt_size(mpz_srcptr n) {
    return n->_mp_size < 0 ? 0 : root_size((size_t)n->_mp_size);
}

/* The root has fewer limbs than the number. */
static inline int is_small(mpz_srcptr n) {
    return call_magnitude_is_small(&n->_mp_size, &thresholds.sqrt) ||
           call_is_small(sqrt_size(n), &thresholds.sqrt);
}

LARGE void sqrt_mpz(mpz_ptr s, mpz_srcptr n) {
    COMPOSITE_FRAME;
    if (!sqrt_large(CALL_ROW(mpz_sqrt), s, NULL, n, sqrt_size(n)))
        real.mpz_sqrt(s, n);
}

EXPORT void mpz_sqrt(mpz_ptr s, mpz_srcptr n) {
    if (is_small(n))
        real.mpz_sqrt(s, n);
    else
        sqrt_mpz(s, n);
}

LARGE void sqrtrem_mpz(mpz_ptr s, mpz_ptr r, mpz_srcptr n) {
    COMPOSITE_FRAME;
    if (!sqrt_large(CALL_ROW(mpz_sqrtrem), s, r, n, sqrt_size(n)))
        real.mpz_sqrtrem(s, r, n);
}

EXPORT void mpz_sqrtrem(mpz_ptr s, mpz_ptr r, mpz_srcptr n) {
    if (is_small(n))
        real.mpz_sqrtrem(s, r, n);
    else
        sqrtrem_mpz(s, r, n);
}

LARGE mp_size_t sqrtrem_mpn(mp_ptr sp, mp_ptr rp, mp_srcptr np, mp_size_t nn) {
    COMPOSITE_FRAME;
    struct composite w;
    size_t size = root_size((size_t)nn);
    struct root root;
    if (!composite_begin(&w, CALL_ROW(mpn_sqrtrem), size, &thresholds.sqrt, (size_t)nn))
        return real.mpn_sqrtrem(sp, rp, np, nn);
    mp_size_t rn;
    if (root_init(&w, &root, np, (size_t)nn)) {
        mpn_copyi(sp, root.sp, (mp_size_t)root.sn);
        rn = (mp_size_t)root.rn;
        if (rp)
            mpn_copyi(rp, root.rp, rn);
        root_clear(&root);
    } else
        rn = real.mpn_sqrtrem(sp, rp, np, nn);
    composite_end(&w);
    return rn;
}

/* The limbs of the remainder, {rp, that}; rp may be np, or NULL. */
EXPORT mp_size_t mpn_sqrtrem(mp_ptr sp, mp_ptr rp, mp_srcptr np, mp_size_t nn) {
    if (call_is_small((size_t)nn, &thresholds.sqrt) ||
        call_is_small(root_size((size_t)nn), &thresholds.sqrt))
        return real.mpn_sqrtrem(sp, rp, np, nn);
    return sqrtrem_mpn(sp, rp, np, nn);
}
