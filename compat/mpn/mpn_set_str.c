/* SPDX-License-Identifier: LGPL-3.0-or-later
 * mpn_set_str, by halves. */
#include <stdlib.h>

#include "lib/memory/wipe.h"
#include "lib/algorithms/radix.h"
#include "lib/gmp/real.h"

/* {rp, returned} = {sp, n}; 0: that is left to GMP. */
static size_t set_str(mp_ptr rp, const unsigned char *sp, size_t n, int base) {
    struct composite whole;
    struct radix x;
    size_t limbs = n && sp[0] && radix_is_for(base) ? n / RADIX_LIMB_DIGITS : 0, rn = 0;
    if (!composite_begin(&whole, CALL_ROW(mpn_set_str), limbs, &thresholds.set_str, limbs))
        return 0;
    mp_ptr room = malloc(radix_limbs(base, n) * sizeof *room); /* more than GMP asks for at rp */
    if (room && radix_open(&x, &whole, base, RADIX_ODD_PART, n)) {
        rn = radix_set(&x, room, sp, n);
        radix_close(&x);
    }
    if (rn)
        mpn_copyi(rp, room, (mp_size_t)rn);
    wipe_free(room, radix_limbs(base, n) * sizeof *room);
    composite_end(&whole);
    return rn;
}

LARGE mp_size_t set_str_large(mp_ptr rp, const unsigned char *sp, size_t n, int base) {
    COMPOSITE_FRAME;
    size_t rn = set_str(rp, sp, n, base);
    return rn ? (mp_size_t)rn : real.mpn_set_str(rp, sp, n, base);
}

/* A limb has several digits. */
EXPORT mp_size_t mpn_set_str(mp_ptr rp, const unsigned char *sp, size_t n, int base) {
    if (call_is_small(n, &thresholds.set_str) ||
        call_is_small(n / RADIX_LIMB_DIGITS, &thresholds.set_str))
        return real.mpn_set_str(rp, sp, n, base);
    return set_str_large(rp, sp, n, base);
}
