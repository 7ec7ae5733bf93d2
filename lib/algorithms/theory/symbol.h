/* SPDX-License-Identifier: LGPL-3.0-or-later
 * Jacobi's symbol along the steps of Euclid's algorithm (N. Moeller, Efficient computation of the
 * Jacobi symbol, 2019): two bits of each number and those of the quotients are all that its sign
 * hangs on.
 *
 * Of two numbers that are not negative and not both even, an odd one is the denominator.
 * Its steps are the numerator's where they leave it alone.  Where they reduce the denominator b by
 * an odd numerator a, the two change places first: (a/b) = (b/a), negated where both are 3 modulo
 * 4.  Where a is even, with b' = b - a,
 *
 *     (a/b') = ((a+b')/b') = (b'/b) (-1)^((b-1)/2 (b'-1)/2),    (b'/b) = (-a/b),
 *
 * so that (a/b) = (a/b') (-1)^((b-1)/2 (b'+1)/2).  If 4 divides a, b' is b modulo 4, and that is
 * (a/b').  Else one of b and b' is 3 modulo 4: negated where that is b. */
#ifndef MPGPU_SYMBOL_H
#define MPGPU_SYMBOL_H

struct symbol {
    unsigned x[2];        /* the numbers modulo 4 */
    unsigned denominator; /* which is it? */
    unsigned is_negated;  /* is the symbol of those at the beginning that of these, negated? */
};

/* x[i] -= q x[1-i], which leaves both above 0, or the numerator 0. */
static inline void symbol_step(struct symbol *s, unsigned i, unsigned long q) {
    unsigned x = s->x[i], y = s->x[!i];
    if (s->denominator == i && (y & 1)) {
        s->is_negated ^= (x & y) >> 1;
        s->denominator = !i;
    } else if (s->denominator == i && y) /* x / 2 is 1 at every other of the q steps */
        s->is_negated ^= (((unsigned)q & 3) + (x >> 1)) >> 1 & 1;
    s->x[i] = (x - (unsigned)q * y) & 3;
}

#endif
