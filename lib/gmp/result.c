/* SPDX-License-Identifier: LGPL-3.0-or-later
 * Memory for results, from the pool or from GMP's allocation functions. */
#include "lib/gmp/result.h"

#include <limits.h>

#include "lib/gmp/memory.h"
#include "lib/gmp/normalize.h"
#include "lib/memory/pool.h"

bool result_open(struct result *t, mpz_ptr w, mp_srcptr up, mp_srcptr vp, size_t limbs) {
    if (limbs > INT_MAX)
        return false;
    t->w = w;
    t->is_fresh = w->_mp_d == up || w->_mp_d == vp;
    if (t->is_fresh) {
        memory_init(t->fresh, limbs);
    } else if ((size_t)w->_mp_alloc < limbs) {
        mpz_clear(w); /* its limbs need not be copied */
        memory_init(w, limbs);
    }
    t->rp = t->is_fresh ? t->fresh->_mp_d : w->_mp_d;
    return true;
}

void result_keep(struct result *t, size_t n, bool negative) {
    n = normalize(t->rp, n);
    if (t->is_fresh) {
        if (t->w->_mp_alloc >= t->fresh->_mp_alloc && !pool_owns(t->w->_mp_d))
            mpn_copyi(t->w->_mp_d, t->rp, (mp_size_t)n);
        else
            mpz_swap(t->w, t->fresh);
        mpz_clear(t->fresh);
    }
    t->w->_mp_size = negative ? -(int)n : (int)n;
}

void result_drop(struct result *t) {
    if (t->is_fresh)
        mpz_clear(t->fresh);
}
