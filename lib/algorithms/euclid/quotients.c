/* SPDX-License-Identifier: LGPL-3.0-or-later
 * Takes steps of Euclid's algorithm in rounds. Each round works on 64 bits of the two numbers,
 * since the CPU divides one limb in less time than one mispredicted branch takes.
 *
 * A round for the numbers x and y. The longer number has n bits, and s is n - 64, or 0 if that is
 * negative.
 *
 * - The round takes steps on floor(x / 2^s) and floor(y / 2^s) that leave both at least 2^l, for an
 *   l >= 33. So the entries of the steps' matrix are below 2^(64-l) <= 2^31.
 * - The same steps on x and y leave more than 2^(s+l) - 2^(s+64-l) >= 3/4 2^(s+l). If l >= t - s +
 *   1, that is more than 2^t, the bound of quotients_steps.
 *
 * The numbers are below 2^128, and stay above 2^t in all rounds. So the entries of the matrix of
 * all steps are below 2^(128-t) <= 2^63. */
#include "lib/algorithms/euclid/quotients.h"

enum { LIMB = GMP_NUMB_BITS, LEAST = LIMB / 2 + 1 };

/* If at most TWO_ROUNDS bits can be removed, two rounds remove them or a few less. Otherwise three
 * rounds are taken. */
enum { TWO_ROUNDS = 54 };

/* Takes steps x = x modulo y and y = y modulo x alternately, for x >= y, while both stay at or
 * above `least`. Multiplies m by the steps' matrix, and updates Jacobi's symbol unless it is NULL.
 * `larger` (0 or 1) is the index of x in the symbol. */
static inline __attribute__((always_inline)) void alternate(struct quotients_matrix *m, mp_limb_t x,
                                                            mp_limb_t y, mp_limb_t least,
                                                            struct symbol *symbol,
                                                            unsigned larger) {
    mp_limb_t e00 = m->e[0][0], e01 = m->e[0][1], e10 = m->e[1][0], e11 = m->e[1][1];
    for (;;) {
        mp_limb_t q = x / y, rest = x % y;
        if (rest < least)
            break;
        x = rest;
        if (symbol)
            symbol_step(symbol, larger, q);
        e01 += q * e00;
        e11 += q * e10;
        q = y / x;
        rest = y % x;
        if (rest < least)
            break;
        y = rest;
        if (symbol)
            symbol_step(symbol, !larger, q);
        e00 += q * e01;
        e10 += q * e11;
    }
    *m = (struct quotients_matrix){{{e00, e01}, {e10, e11}}};
}

/* Returns the matrix with its columns exchanged. */
static struct quotients_matrix exchanged(const struct quotients_matrix *m) {
    return (struct quotients_matrix){{{m->e[0][1], m->e[0][0]}, {m->e[1][1], m->e[1][0]}}};
}

/* Takes steps of Euclid's algorithm on x and y, in either order, that leave both at or above
 * `least`.  Multiplies m by the matrix of these steps. */
static void limb_steps(struct quotients_matrix *m, mp_limb_t x, mp_limb_t y, mp_limb_t least,
                       struct symbol *symbol) {
    bool is_less = x < y;
    struct quotients_matrix k = is_less ? exchanged(m) : *m;
    if (x < least || y < least)
        return;
    if (symbol)
        alternate(&k, is_less ? y : x, is_less ? x : y, least, symbol, is_less);
    else
        alternate(&k, is_less ? y : x, is_less ? x : y, least, NULL, 0);
    *m = is_less ? exchanged(&k) : k;
}

static unsigned bits(quotients_pair x) {
    mp_limb_t high = (mp_limb_t)(x >> LIMB);
    return high ? 2 * LIMB - (unsigned)__builtin_clzl(high)
                : LIMB - (unsigned)__builtin_clzl((mp_limb_t)x | 1);
}

/* Performs one round of steps on the highest 64 bits of x and y.  Multiplies m by the round's
 * matrix. */
static void go(struct quotients_matrix *m, quotients_pair x, quotients_pair y, unsigned t,
               struct symbol *symbol) {
    unsigned n = bits(x | y), s = n > LIMB ? n - LIMB : 0;
    unsigned l = t + 1 > s + LEAST ? t + 1 - s : LEAST;
    if (l < LIMB)
        limb_steps(m, (mp_limb_t)(x >> s), (mp_limb_t)(y >> s), (mp_limb_t)1 << l, symbol);
}

bool quotients_steps(struct quotients_matrix *m, quotients_pair x, quotients_pair y, unsigned t,
                     struct symbol *symbol) {
    const int rounds = t + TWO_ROUNDS >= QUOTIENTS_BITS ? 2 : 3;
    *m = (struct quotients_matrix){{{1, 0}, {0, 1}}};
    for (int i = 0; i < rounds; i++) {
        struct quotients_matrix k = *m;
        go(m, x * k.e[1][1] - y * k.e[0][1], y * k.e[0][0] - x * k.e[1][0], t, symbol);
    }
    return m->e[0][1] != 0 || m->e[1][0] != 0;
}
