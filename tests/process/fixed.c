/* SPDX-License-Identifier: LGPL-3.0-or-later
 * A plain GMP program, linked to a fixed address, that takes the address of `free`. In such a
 * program, the linker creates a stub for `free` in the program. The address of `free` is then the
 * stub's, in the whole process. */
#include "tests/support/products.h"

int main(void) {
    void (*volatile release)(void *) = free;
    release(malloc(1));
    multiply(1000000);
    puts("right");
    return 0;
}
