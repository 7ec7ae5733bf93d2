/* SPDX-License-Identifier: LGPL-3.0-or-later
 * Perfect squares. */
#include "lib/algorithms/theory/square.h"

#include "lib/algorithms/root.h"
#include "lib/algorithms/scratch.h"
#include "lib/algorithms/theory/small_primes.h"

/* Returns false if the low limb proves that the number is no square. A square is an odd number that
 * is 1 modulo 8, followed by an even number of zero bits. */
static bool low_bits_fit(mp_limb_t low) {
    unsigned zeros = low ? (unsigned)__builtin_ctzl(low) : 0;
    return low == 0 || (zeros % 2 == 0 && (zeros + 3 > GMP_NUMB_BITS || (low >> zeros) % 8 == 1));
}

static bool is_residue(mp_limb_t r, unsigned p) {
    for (unsigned i = 0; i <= p / 2; i++)
        if (i * i % p == r)
            return true;
    return false;
}

bool square_is_possible(mp_srcptr up, size_t n) {
    if (!low_bits_fit(up[0]))
        return false;
    mp_limb_t r = mpn_mod_1(up, (mp_size_t)n, SMALL_PRIMES_PRODUCT);
    for (size_t i = 0; i < SMALL_PRIMES; i++)
        if (!is_residue(r % small_primes[i], small_primes[i]))
            return false;
    return true;
}

bool square_decide(struct composite *w, mp_srcptr up, size_t n, bool *is_square) {
    const struct root x = {
        .sp = scratch_alloc(root_square_size(n)), .np = up, .nn = n, .k = 2, .is_exact = is_square};
    bool done = x.sp && root_of_limbs(w, &x);
    scratch_free(x.sp);
    return done;
}
