/* SPDX-License-Identifier: LGPL-3.0-or-later
 * mpn_get_str, by halves; {up, un} is left as it is, where GMP's own may change it. */
#include "lib/algorithms/radix.h"
#include "lib/gmp/real.h"

/* {sp, returned}; 0: that is left to GMP. */
static size_t get_str(unsigned char *sp, int base, mp_srcptr up, size_t un) {
    struct composite whole;
    struct radix x;
    size_t limbs = un && up[un - 1] && radix_is_for(base) ? un : 0, n = 0;
    if (!composite_begin(&whole, CALL_ROW(mpn_get_str), limbs, &thresholds.get_str, limbs))
        return 0;
    if (radix_open(&x, &whole, base, RADIX_ALL, radix_digits(base, un))) {
        n = radix_get(&x, sp, up, un);
        radix_close(&x);
    }
    composite_end(&whole);
    return n;
}

LARGE size_t get_str_large(unsigned char *sp, int base, mp_ptr up, mp_size_t un) {
    COMPOSITE_FRAME;
    size_t n = get_str(sp, base, up, (size_t)un);
    return n ? n : real.mpn_get_str(sp, base, up, un);
}

EXPORT size_t mpn_get_str(unsigned char *sp, int base, mp_ptr up, mp_size_t un) {
    if (call_is_small((size_t)un, &thresholds.get_str))
        return real.mpn_get_str(sp, base, up, un);
    return get_str_large(sp, base, up, un);
}
