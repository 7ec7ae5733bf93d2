/* SPDX-License-Identifier: LGPL-3.0-or-later
 * From digits to limbs: two halves, and the upper one times the power between them. */
#include <stdlib.h>
#include <string.h>

#include "lib/algorithms/radix.h"
#include "lib/gmp/normalize.h"
#include "lib/gmp/real.h"
#include "lib/memory/wipe.h"
#include "lib/operate/composition.h"
#include "lib/operate/operate_radix.h"

/* Room for the digits below `level`, for their own halves and so on. */
static size_t scratch_limbs(const struct radix *x) {
    size_t limbs = 1;
    for (int i = 0; i < x->levels; i++)
        limbs += radix_limbs(x->base, x->leaf << i);
    return limbs;
}

static size_t set_leaf(const struct radix *x, mp_ptr rp, const unsigned char *sp, size_t n) {
    while (n > 0 && *sp == 0) {
        sp++;
        n--;
    }
    return n ? (size_t)real.mpn_set_str(rp, sp, n, x->base) : 0;
}

/* {rp, returned} = {up, un} * base^d, where {power} is the odd part of base^d. */
static size_t shift_digits(const struct radix *x, mp_ptr rp, mp_srcptr up, size_t un,
                           const struct radix_power *power, size_t d) {
    size_t zeros = d / GMP_NUMB_BITS * x->twos;
    if (un == 0)
        return 0;
    if (zeros)
        mpn_zero(rp, (mp_size_t)zeros);
    composite_mul(x->w, rp + zeros, up, un, power->p, power->n);
    return normalize(rp, zeros + un + power->n);
}

/* {rp, returned} += {up, un}, which is below the power that rp is a multiple of: rn < un only
 * where that is 0.  The sum may have a limb more. */
static size_t add(mp_ptr rp, size_t rn, mp_srcptr up, size_t un) {
    if (un == 0)
        return rn;
    if (rn < un) {
        mpn_copyi(rp, up, (mp_size_t)un);
        return un;
    }
    rp[rn] = mpn_add(rp, rp, (mp_size_t)rn, up, (mp_size_t)un);
    return rn + (rp[rn] > 0);
}

/* {rp, returned} = {sp, n}, n <= leaf << level; tp is scratch. */
static size_t set(const struct radix *x, int level, mp_ptr rp, const unsigned char *sp, size_t n,
                  mp_ptr tp) {
    if (level == 0)
        return set_leaf(x, rp, sp, n);
    size_t low = x->leaf << --level;
    if (n <= low)
        return set(x, level, rp, sp, n, tp);
    mp_ptr rest = tp + radix_limbs(x->base, low);
    size_t un = set(x, level, tp, sp, n - low, rest);
    size_t rn = shift_digits(x, rp, tp, un, &x->power[level], low);
    un = set(x, level, tp, sp + (n - low), low, rest);
    return add(rp, rn, tp, un);
}

/* From digits to limbs on the device, where it pays and works, and all of them are digits. */
static bool on_device(const struct radix *x, mp_ptr rp, size_t *rn, const unsigned char *sp,
                      size_t n, unsigned characters) {
    bool is_number = false;
    if (thresholds_is_small(n / RADIX_LIMB_DIGITS, &thresholds.set_str) || !composition_serves())
        return false;
    enum outcome outcome = operate_radix_set(rp, rn, radix_limbs(x->base, n), sp, n,
                                             (unsigned)x->base, characters, &is_number);
    composite_count(x->w, outcome);
    return outcome == OUTCOME_DONE && is_number;
}

size_t radix_set_text(const struct radix *x, mp_ptr rp, const char *s, size_t n,
                      unsigned characters) {
    size_t rn = 0;
    return on_device(x, rp, &rn, (const unsigned char *)s, n, characters) ? rn : 0;
}

size_t radix_set(struct radix *x, mp_ptr rp, const unsigned char *sp, size_t n) {
    size_t rn = 0;
    if (on_device(x, rp, &rn, sp, n, TEXT_VALUES))
        return rn;
    mp_ptr tp = radix_powers(x) ? malloc(scratch_limbs(x) * sizeof *tp) : NULL;
    rn = tp ? set(x, x->levels, rp, sp, n, tp) : 0;
    wipe_free(tp, scratch_limbs(x) * sizeof *tp);
    return rn;
}
