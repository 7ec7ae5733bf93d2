/* SPDX-License-Identifier: LGPL-3.0-or-later
 * Checks the function that computes -1/m modulo 2^32 for a word m of 32 bits.  Argument: the
 * distance between tried inputs; 1 tries all. */
#include "kernels/modular/montgomery.h"
#include "tests/proofs/enumerate.h"

int main(int argc, char **argv) {
    number step = argc > 1 ? strtoul(argv[1], NULL, 10) : 1;
    begin("montgomery_inverse");
    for (number m = 1; m < 1ul << 32; m += 2 * step)
        CHECK(montgomery_inverse((u32)m) * (u32)m == ~0u, m, 0, 0);
    end();
    return 0;
}
