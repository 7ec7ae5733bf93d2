/* SPDX-License-Identifier: LGPL-3.0-or-later
 * XXH64 (Y. Collet), for data whose length is a multiple of 32 bytes.  XXH64 is as fast as memory,
 * because its four accumulators (lanes) are independent of each other.  Different words lead to
 * different values of a lane, so a single wrong word always changes a lane. */
#include "examples/batch-gcd/checksum.h"

#define P1 UINT64_C(11400714785074694791)
#define P2 UINT64_C(14029467366897019727)
#define P3 UINT64_C(1609587929392839161)
#define P4 UINT64_C(9650029242287828579)

enum { LANES = 4 };

static uint64_t rotate(uint64_t x, unsigned bits) {
    return x << bits | x >> (64 - bits);
}

static uint64_t step(uint64_t lane, uint64_t word) {
    return rotate(lane + word * P2, 31) * P1;
}

uint64_t checksum(const uint64_t *word, size_t count) {
    uint64_t lane[LANES] = {P1 + P2, P2, 0, 0 - P1};
    for (size_t i = 0; i < count; i += LANES)
        for (unsigned k = 0; k < LANES; k++)
            lane[k] = step(lane[k], word[i + k]);
    uint64_t h =
        rotate(lane[0], 1) + rotate(lane[1], 7) + rotate(lane[2], 12) + rotate(lane[3], 18);
    for (unsigned k = 0; k < LANES; k++)
        h = (h ^ step(0, lane[k])) * P1 + P4;
    h += 8 * (uint64_t)count;
    h = (h ^ h >> 33) * P2;
    h = (h ^ h >> 29) * P3;
    return h ^ h >> 32;
}
