/* SPDX-License-Identifier: LGPL-3.0-or-later
 * Converts limbs to digits, and digits to limbs. */
#include "lib/algorithms/text/text_digits.h"

#include <limits.h>
#include <stdlib.h>

#include "lib/algorithms/radix.h"
#include "lib/gmp/normalize.h"
#include "lib/gmp/real.h"
#include "lib/gmp/result.h"
#include "lib/memory/wipe.h"

static size_t bits_of(int base) {
    return (size_t)__builtin_ctz((unsigned)base);
}

size_t text_digits_room(int base, size_t un) {
    return radix_is_for(base) ? radix_digits(base, un) + 1 : un * GMP_NUMB_BITS / bits_of(base) + 2;
}

/* Converts by GMP, which may write to the limbs and needs one limb more: so the limbs are copied.
 */
static size_t get_by_gmp(int base, unsigned char *sp, mp_srcptr up, size_t un) {
    mp_ptr tp = malloc((un + 1) * sizeof *tp);
    size_t n = 0;
    if (tp) {
        mpn_copyi(tp, up, (mp_size_t)un);
        n = real.mpn_get_str(sp, base, tp, (mp_size_t)un);
    }
    wipe_free(tp, (un + 1) * sizeof *tp);
    return n;
}

size_t text_digits_get(struct composite *w, int base, unsigned char *sp, mp_srcptr up, size_t un) {
    if (!radix_is_for(base) || thresholds_is_small(un, &thresholds.get_str))
        return get_by_gmp(base, sp, up, un);
    return radix_get(w, sp, up, un, base, TEXT_VALUES);
}

size_t text_digits_limbs(int base, size_t n) {
    return radix_is_for(base) ? radix_limbs(base, n) : n * bits_of(base) / GMP_NUMB_BITS + 2;
}

size_t text_digits_set(struct composite *w, int base, mp_ptr rp, const unsigned char *sp,
                       size_t n) {
    if (!radix_is_for(base) || thresholds_is_small(n / RADIX_LIMB_DIGITS, &thresholds.set_str))
        return (size_t)real.mpn_set_str(rp, sp, n, base);
    return radix_set(w, rp, sp, n, base, TEXT_VALUES);
}

bool text_digits_set_mpz(struct composite *w, int base, mpz_ptr r, const unsigned char *sp,
                         size_t n, bool negative) {
    size_t limbs = text_digits_limbs(base, n);
    if (limbs > INT_MAX)
        return false;
    size_t rn = text_digits_set(w, base, result_room(r, limbs), sp, n);
    rn = normalize(r->_mp_d, rn);
    r->_mp_size = negative ? -(int)rn : (int)rn;
    return rn > 0;
}
