/* SPDX-License-Identifier: LGPL-3.0-or-later
 * Checks quotient_times (kernels/modular/quotient_estimate.h) on numbers of three words of 32 bits.
 * Dividends are next to a multiple of the divisor, or pseudo-random. quotient.smt2 proves the
 * estimate; this program checks that the code agrees with the proof. It does not try all inputs. */
#include "kernels/modular/quotient_estimate.h"
#include "tests/proofs/enumerate.h"

typedef unsigned __int128 wide;
static number seed;

static number next(void) {
    seed = seed * 6364136223846793005ul + 1442695040888963407ul;
    return seed >> 32;
}

/* Returns a number of three words, each of which is random, 0 or the greatest word. */
static wide three(void) {
    wide r = 0;
    for (int i = 0; i < 3; i++) {
        number kind = next() % 4;
        r = r << 32 | (kind == 0 ? 0 : kind == 1 ? 0xffffffff : next());
    }
    return r;
}

int main(int argc, char **argv) {
    number step = argc > 1 ? strtoul(argv[1], NULL, 10) : 1;
    begin("quotient_times");
    for (number i = 0; i < (step > 1 ? 300000 : 30000000); i++) {
        wide m = three() | (wide)1 << 95, low = three() >> 1, high = three() >> 1;
        wide t = i & 1 ? (wide)(next() % (1 << 25)) * m + next() % 5
                       : (three() << 25 | next()) % (m << 25);
        t -= i % 8 == 1 && t >= 3 ? 3 : 0;
        wide x = t + 2 * low + 2 * high;
        u32 of_x[3] = {(u32)(x >> 32), (u32)(x >> 64), (u32)(x >> 96)};
        u32 of_low[2] = {(u32)(low >> 32), (u32)(low >> 64)},
            of_high[2] = {(u32)(high >> 32), (u32)(high >> 64)};
        struct quotient q =
            quotient_times(of_x, of_low, of_high, (u32)(high >> 96), (u32)(m >> 64));
        number right = (number)(t / m);
        CHECK(right == q.c || (right == (number)q.c + 1 && q.is_near), i, right, q.c);
    }
    end();
    return 0;
}
