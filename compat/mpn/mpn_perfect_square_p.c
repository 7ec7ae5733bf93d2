/* SPDX-License-Identifier: LGPL-3.0-or-later
 * mpn_perfect_square_p. */
#include "compat/intercept/composite_call.h"
#include "lib/algorithms/root.h"
#include "lib/algorithms/theory/square.h"
#include "lib/gmp/normalize.h"
#include "lib/gmp/real.h"

/* Tests a large number. First computes it modulo small numbers, which finds most non-squares
 * without a device. */
LARGE int perfect_square_large(mp_srcptr up, mp_size_t un) {
    bool is_square;
    size_t n = normalize(up, (size_t)un);
    if (n && !square_is_possible(up, n))
        return 0;
    CALL_COMPOSITE(w, CALL_ROW(mpn_perfect_square_p), root_square_size(n), &thresholds.sqrt, n,
                   square_decide(w, up, n, &is_square),
                   is_square = real.mpn_perfect_square_p(up, un));
    return is_square;
}

EXPORT int mpn_perfect_square_p(mp_srcptr up, mp_size_t un) {
    INTERCEPT(thresholds_is_small((size_t)un, &thresholds.sqrt) ||
                  thresholds_is_small(root_square_size((size_t)un), &thresholds.sqrt),
              real.mpn_perfect_square_p(up, un), perfect_square_large(up, un));
}
