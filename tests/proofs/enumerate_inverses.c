/* SPDX-License-Identifier: LGPL-3.0-or-later
 * Checks functions of one word, at its full width of 32 bits.  Argument: the distance between tried
 * inputs; 1 tries all. */
#define LOCAL_ID 0u
#define GROUP_X 0u
#define DIGITS 2
#define ON_CPU
#include "kernels/common/powers.h"
#include "kernels/modular/divsteps.h"
#include "tests/proofs/enumerate.h"

static u32 reversed[65536];

static void reversals(number step) {
    EACH(u32, x, 0, 65536) EACH(u32, i, 0, 16) reversed[x] |= (x >> i & 1) << (15 - i);
    begin("reverse_bits");
    for (number x = 0; x < 1ul << 32; x += step)
        CHECK(reverse_bits((u32)x) == (reversed[x & 65535] << 16 | reversed[x >> 16]), x, 0, 0);
    end();
}

static void inverses(number step) {
    begin("odd_inverse");
    for (number m = 1; m < 1ul << 32; m += 2 * step)
        CHECK(odd_inverse((u32)m) * (u32)m == 1, m, 0, 0);
    end();
}

int main(int argc, char **argv) {
    number step = argc > 1 ? strtoul(argv[1], NULL, 10) : 1;
    reversals(step);
    inverses(step);
    return 0;
}
