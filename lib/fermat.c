/* SPDX-License-Identifier: LGPL-3.0-or-later
 * Moduli for checks of products modulo B^n - 1 and B^n + 1.
 *
 * With the Fermat numbers F_j = 2^(2^j) + 1 and n = 2^a times an odd number, F_(a+6)
 * divides B^n + 1, and F_0 ... F_(a+5), whose product is B^(2^a) - 1, divide B^n - 1.
 *
 * What such a check sees.  Modulo a factor q of F_j the order of 2 is 2^(j+1), so limbs
 * that have changed places are noticed unless their distance is a multiple of 2^(j-5): never
 * so within n = 2^a limbs for F_(a+6) and F_(a+5).  Any one wrong bit or limb is noticed, and
 * other errors with probability 1 - 1/q.
 * What not: an error modulo B^n - 1 that is a multiple of all F_j that have a factor in
 * the modulus.  F_j belongs to 2^(j-6) of the n points of a transform, the highest to
 * half of them; an error at one point of the others would be such a multiple, did the
 * coefficients not wrap round the product of the primes: n^2 2^-27.4 of them do on
 * average, which makes it another error (lib/ring.c has the sizes).  Tried at n = 2^15, the least:
 * of some 150 single wrong words in transforms 12 went unseen; it gets fewer with n. */
#include "fermat.h"
#include "random.h"

#define MODULUS_BITS 61

/* Known factors of F_j, the highest j first. */
static const struct {
    unsigned j;
    uint64_t q;
} factors[] = {
    {30, 640126220763137},
    {30, 1095981164658689},
    {29, 2405286912458753},
    {27, 151413703311361},
    {27, 231292694251438081},
    {26, 76861124116481},
    {25, 25991531462657},
    {25, 204393464266227713},
    {23, 167772161},
    {21, 4485296422913},
    {19, 70525124609},
    {19, 646730219521},
    {18, 13631489},
    {17, 31065037602817},
    {16, 825753601},
    {15, 1214251009},
    {15, 2327042503868417},
    {13, 2710954639361},
    {12, 190274191361},
    {12, 1256132134125569},
    {11, 319489},
    {11, 974849},
    {10, 45592577},
    {10, 6487031809},
    {9, 2424833},
    {8, 1238926361552897},
    {7, 59649589127497217},
    {6, 67280421310721},
    {5, 6700417},
    {4, 65537},
    {3, 257},
    {2, 17},
    {1, 5},
    {0, 3},
};
enum { FACTORS = sizeof factors / sizeof *factors };

/* How many factors of the same number begin at i. */
static unsigned alike(unsigned i) {
    unsigned count = 1;
    while (i + count < FACTORS && factors[i + count].j == factors[i].j)
        count++;
    return count;
}

/* One factor of each Fermat number from the highest on, as long as they fit. */
uint64_t mpgpu_ring_modulus(size_t rn, int plus) {
    unsigned top = 6 + (unsigned)__builtin_ctzll(rn);
    uint64_t modulus = 1, random = mpgpu_random_modulus() >> 1;
    for (unsigned i = 0, count; i < FACTORS; i += count, random >>= 1) {
        count = alike(i);
        uint64_t q = factors[i + random % count].q;
        int divides = plus ? factors[i].j == top : factors[i].j < top;
        if (divides && q < (UINT64_C(1) << MODULUS_BITS) / modulus)
            modulus *= q;
    }
    return modulus > 1 ? modulus : 0;
}
