/* SPDX-License-Identifier: LGPL-3.0-or-later
 * mpf_sqrt and mpf_sqrt_ui: the number is lengthened with zeros, or cut, so that its
 * exponent is even and its root has as many limbs as r's precision. */
#include <stdlib.h>

#include "lib/memory/wipe.h"
#include "compat/mpf/mpf.h"
#include "lib/gmp/real.h"
#include "lib/algorithms/root.h"

/* r = the root of {u} / B^u.n * B^exp, u.n >= 1; 0: that is left to GMP. */
static int root(enum call_row row, mpf_ptr r, struct mpf_limbs u, mp_exp_t exp) {
    struct composite w;
    struct root root;
    size_t odd = exp % 2 != 0, nn = 2 * (size_t)r->_mp_prec - odd;
    if (!composite_begin(&w, row, u.n ? root_size(nn) : 0, &thresholds.sqrt, nn))
        return 0;
    mp_ptr tp = malloc(nn * sizeof *tp);
    int done = tp && root_init(&w, &root, mpf_lengthen(u, nn, tp), nn);
    if (done) {
        mpf_keep(r, root.sp, root.sn, (exp + (mp_exp_t)odd) / 2, 0);
        root_clear(&root);
    }
    wipe_free(tp, nn * sizeof *tp);
    composite_end(&w);
    return done;
}

static inline int is_small(mpf_srcptr r) { /* a root of as many limbs */
    return call_is_small((size_t)r->_mp_prec, &thresholds.sqrt);
}

/* What counts of u; nothing where there is no root, or no number. */
static struct mpf_limbs radicand(mpf_srcptr r, mpf_srcptr u) {
    size_t most = 2 * (size_t)r->_mp_prec - (u->_mp_exp % 2 != 0);
    return u->_mp_size > 0 ? mpf_upper(u, most) : (struct mpf_limbs){NULL, 0};
}

LARGE void sqrt_large(mpf_ptr r, mpf_srcptr u) {
    COMPOSITE_FRAME;
    if (!root(CALL_ROW(mpf_sqrt), r, radicand(r, u), u->_mp_exp))
        real.mpf_sqrt(r, u);
}

EXPORT void mpf_sqrt(mpf_ptr r, mpf_srcptr u) {
    if (is_small(r))
        real.mpf_sqrt(r, u);
    else
        sqrt_large(r, u);
}

/* 0 and 1 are their own roots, of one limb. */
LARGE void sqrt_ui_large(mpf_ptr r, unsigned long u) {
    COMPOSITE_FRAME;
    if (!root(CALL_ROW(mpf_sqrt_ui), r, (struct mpf_limbs){&u, u > 1}, 1))
        real.mpf_sqrt_ui(r, u);
}

EXPORT void mpf_sqrt_ui(mpf_ptr r, unsigned long u) {
    if (is_small(r))
        real.mpf_sqrt_ui(r, u);
    else
        sqrt_ui_large(r, u);
}
