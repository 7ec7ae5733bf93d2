/* SPDX-License-Identifier: LGPL-3.0-or-later
 * Defines what Frama-C needs in addition to the contracts in kernels/: predicates that the
 * contracts use, and everything that is assumed without a proof (axioms, and functions without a
 * body). */
#ifndef MPGPU_PROOFS_THEORY_H
#define MPGPU_PROOFS_THEORY_H

#include <stdint.h>

/*@ // Assumed: Frama-C's functions for conversions, shifts and bit operations are what C defines.  From
    // the definitions, these axioms are proven by Z3 (axioms.smt2).
    axiomatic Words {
      axiom above: \forall integer x;
        0x100000000 <= x < 0x200000000 ==> (uint32_t)x == x - 0x100000000;
      axiom below: \forall integer x; -0x100000000 <= x < 0 ==> (uint32_t)x == x + 0x100000000;
      axiom below64: \forall integer x;
        -0x10000000000000000 <= x < 0 ==> (uint64_t)x == x + 0x10000000000000000;
      axiom low32: \forall integer x;
        0 <= x ==> (uint32_t)x == x - 0x100000000 * (x >> 32);
      axiom shift32: \forall integer x;
        0 <= x ==> 0 <= x - 0x100000000 * (x >> 32) < 0x100000000;
      axiom shift63: \forall integer x;
        0 <= x ==> 0 <= x - 0x8000000000000000 * (x >> 63) < 0x8000000000000000;
      axiom shift_left32: \forall integer x; 0 <= x ==> (x << 32) == 0x100000000 * x;
      axiom shift: \forall integer x, n; 0 <= x && 0 <= n ==> 0 <= (x >> n) <= x;
      axiom or32: \forall integer x, y;
        0 <= x < 0x100000000 && 0 <= y < 0x100000000 ==> 0 <= (x | y) < 0x100000000;
      axiom odd: \forall integer x; 0 <= x < 0x100000000 ==> (x & 1) == x % 2;
      axiom flip: \forall integer x; 0 <= x <= 1 ==> 0 <= (x ^ 1) <= 1;
      axiom mask: \forall integer x, y;
        0 <= x && 0 <= y ==> 0 <= (x & y) <= y && (x & y) <= x;
    }
    predicate is_modulus(integer p, integer pinv) = 1 < p < 0x80000000 && (uint32_t)(p * pinv) == 1;
*/

/* Assumed without a proof: the compiler multiplies correctly to 128 bits. Frama-C has no
 * __int128. */
/*@ assigns \nothing;
    ensures \result == a * b / 0x10000000000000000; */
uint64_t mulhi64(uint64_t a, uint64_t b);
#define MULHI64(a, b) mulhi64(a, b)

/* Assumed without a proof: the instruction that counts leading zeros. */
/*@ assigns \nothing;
    ensures \result <= 32;
    ensures x > 0 ==> \result <= 31; */
uint32_t leading_zeros32(uint32_t x);
#define LEADING_ZEROS32(x) leading_zeros32(x)

/* The number of a work-item in its group. Proofs hold for every value. */
extern const uint32_t local_id;
#define LOCAL_ID local_id

#endif
