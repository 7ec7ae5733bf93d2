/* SPDX-License-Identifier: LGPL-3.0-or-later
 * -1/m of one word m at its full width of 32 bits.  Argument: a distance between the inputs; 1
 * tries all. */
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
