/* SPDX-License-Identifier: LGPL-3.0-or-later
 * The random modulus of the check. */
#include <stdatomic.h>

#include "lib/base/random.h"
#include "lib/device/modulus.h"
#include "lib/device/tables.h"

/* Returns 1 / m mod 2^64 by Newton's steps, each of which doubles the correct bits. */
static uint64_t inverse_64(uint64_t m) {
    uint64_t x = m; /* m itself equals 1 / m in its lowest 3 bits, as m is odd */
    for (int i = 0; i < 5; i++)
        x *= 2 - m * x;
    return x;
}

struct check_modulus tables_modulus(uint64_t m) {
    return (struct check_modulus){m, inverse_64(m), (uint64_t)(((unsigned __int128)1 << 64) % m)};
}

/* Performs Miller's test, to this base, of the odd number q.m, which is larger than the base. */
static bool is_strong_probable_prime(struct check_modulus q, uint64_t base) {
    const int twos = __builtin_ctzll(q.m - 1);
    uint64_t x = modulus_power(modulus_mul(q.one, base, q), (q.m - 1) >> twos, q);
    bool passes = x == q.one;
    for (int k = 0; k < twos && !passes; k++, x = residue_product(x, x, q.m, q.minv))
        passes = x == q.m - q.one;
    return passes;
}

/* The first twelve primes as bases prove primality of every odd number below 3.18 10^23: Sorenson
 * and Webster, Strong pseudoprimes to twelve prime bases, Mathematics of Computation 86, 2017. */
static bool is_prime(uint64_t m) {
    static const unsigned char bases[] = {2, 3, 5, 7, 11, 13, 17, 19, 23, 29, 31, 37};
    const struct check_modulus q = tables_modulus(m);
    size_t i = 0;
    while (i < sizeof bases && is_strong_probable_prime(q, bases[i]))
        i++;
    return i == sizeof bases;
}

uint64_t tables_random_prime(void) {
    uint64_t m;
    do
        m = random_modulus();
    while (!is_prime(m));
    return m;
}

static _Atomic uint64_t modulus;

void tables_set_check_modulus(uint64_t m) {
    atomic_store(&modulus, m);
}

/* Returns the modulus of checks; the first caller chooses it. */
struct check_modulus tables_check_modulus(void) {
    uint64_t m = atomic_load(&modulus), mine;
    if (m == 0) {
        mine = tables_random_prime();
        m = atomic_compare_exchange_strong(&modulus, &m, mine) ? mine : m;
    }
    return tables_modulus(m);
}
