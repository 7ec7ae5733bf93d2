/* SPDX-License-Identifier: LGPL-3.0-or-later
 * Jacobi's symbol along the steps of Euclid's algorithm (N. Moeller, Efficient computation of the
 * Jacobi symbol, 2019). Its sign depends only on two bits of each number and of the quotients.
 *
 * The two numbers are not negative and not both even. The denominator is an odd one of them. Steps
 * change the sign of the symbol as follows.
 *
 * - A step that changes the numerator does not change the symbol.
 * - A step may reduce the denominator b by an odd numerator a. Then a and b change places first.
 *   (a/b) is (b/a), negated if both are 3 modulo 4.
 * - A step may reduce the denominator b by an even numerator a, to b' = b - a. The new symbol is
 *   (a/b'). If 4 divides a, then (a/b) = (a/b'). Otherwise exactly one of b and b' is 3 modulo 4;
 *   (a/b) is (a/b'), negated if that one is b.
 *
 * The last rule follows from two equations: (a/b') = (b/b') = (b'/b) (-1)^((b-1)/2 (b'-1)/2), and
 * (b'/b) = (-a/b). Together they yield (a/b) = (a/b') (-1)^((b-1)/2 (b'+1)/2). */
#ifndef MPGPU_SYMBOL_H
#define MPGPU_SYMBOL_H

struct symbol {
    unsigned x[2];        /* the numbers modulo 4 */
    unsigned denominator; /* index in x of the denominator */
    /* Set if the symbol of the initial numbers is minus the symbol of the present numbers x. */
    unsigned is_negated;
};

/* Updates the symbol for the step x[i] -= q x[1-i], after which both numbers are above 0 or the
 * numerator is 0. */
static inline void symbol_step(struct symbol *s, unsigned i, unsigned long q) {
    unsigned x = s->x[i], y = s->x[!i];
    if (s->denominator == i && (y & 1)) {
        s->is_negated ^= (x & y) >> 1;
        s->denominator = !i;
    } else if (s->denominator == i && y) /* y is 2 modulo 4. Each of the q subtractions of y negates
                                          * the symbol if bit 1 of x is set, and flips this bit. */
        s->is_negated ^= (((unsigned)q & 3) + (x >> 1)) >> 1 & 1;
    s->x[i] = (x - (unsigned)q * y) & 3;
}

#endif
