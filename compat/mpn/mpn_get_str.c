/* SPDX-License-Identifier: LGPL-3.0-or-later
 * mpn_get_str. GMP's contract allows it to change {up, un}; only GMP's own function does. */
#include "compat/intercept/composite_call.h"
#include "lib/algorithms/radix.h"
#include "lib/gmp/real.h"

LARGE size_t get_str_large(unsigned char *sp, int base, mp_ptr up, mp_size_t un) {
    size_t n = 0, size = un > 0 && up[un - 1] && radix_is_for(base) ? (size_t)un : 0;
    CALL_COMPOSITE(w, CALL_ROW(mpn_get_str), size, &thresholds.get_str, size,
                   (n = radix_get(w, sp, up, size, base, TEXT_VALUES)) > 0,
                   n = real.mpn_get_str(sp, base, up, un));
    return n;
}

EXPORT size_t mpn_get_str(unsigned char *sp, int base, mp_ptr up, mp_size_t un) {
    INTERCEPT(thresholds_is_small((size_t)un, &thresholds.get_str),
              real.mpn_get_str(sp, base, up, un), get_str_large(sp, base, up, un));
}
