/* SPDX-License-Identifier: LGPL-3.0-or-later
 * Powers of w, the root of unity of order 2^25 modulo a prime (tables.h). */
#ifndef POWERS_H
#define POWERS_H

#include "kernels/common/modular.h"
#include "kernels/common/tables.h"

/*@ assigns \nothing; */
FN u32 reverse_bits(u32 x) {
    x = (x & 0x55555555u) << 1 | (x >> 1 & 0x55555555u);
    x = (x & 0x33333333u) << 2 | (x >> 2 & 0x33333333u);
    x = (x & 0x0f0f0f0fu) << 4 | (x >> 4 & 0x0f0f0f0fu);
    x = (x & 0x00ff00ffu) << 8 | (x >> 8 & 0x00ff00ffu);
    return x << 16 | x >> 16;
}

/* Returns w^e in Montgomery form; e is taken modulo 2^25. `table`, p and pinv belong to the
 * prime. */
/*@ requires \valid_read(table + (0 .. TABLE_WORDS - 1)) && is_modulus(p, pinv);
    requires \forall integer i; TABLE_FINE <= i < TABLE_LAST ==> table[i] < p;
    assigns \nothing;
    ensures \result < p; */
FN u32 power_of_root(GLOBAL const u32 *table, u32 e, u32 p, u32 pinv) {
    u32 coarse = e >> LOG_FINE & ((1u << (PRIMES_LOG_ORDER - LOG_FINE)) - 1u);
    u32 fine = e & ((1u << LOG_FINE) - 1u);
    return mod_mul(table[TABLE_COARSE + coarse], table[TABLE_FINE + fine], p, pinv);
}

#endif
