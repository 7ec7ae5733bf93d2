/* SPDX-License-Identifier: LGPL-3.0-or-later
 * Primes in groups. */
#include "lib/algorithms/theory/prime_group.h"

void prime_group_begin(struct prime_group *g, struct primes *primes) {
    primes_rewind(primes);
    g->count = 0;
    g->next = primes_next(primes);
}

bool prime_group_next(struct prime_group *g, struct primes *primes) {
    g->count = 0;
    g->product = 1;
    for (; g->next && g->product <= ~(mp_limb_t)0 / g->next; g->next = primes_next(primes)) {
        g->product *= g->next;
        g->p[g->count++] = g->next;
    }
    return g->count > 0;
}

mp_limb_t prime_group_residue(const struct prime_group *g, mpz_srcptr x) {
    return x->_mp_size ? mpn_mod_1(x->_mp_d, (mp_size_t)mpz_size(x), g->product) : 0;
}
